// What a successor does before its first attempt: it begins where the supervisor has died.
#include "core/contains.hpp"
#include "core/error.hpp"
#include "core/restart/saved.hpp"
#include "launcher/os/output.hpp"
#include "launcher/slurm/ask.hpp"
#include "launcher/supervisor/attempts/course.hpp"
#include "launcher/supervisor/attempts/lost_attempt.hpp"

#include <cstdlib>
#include <span>
#include <utility>

namespace muster::attempts {

// False where they are not known.
bool Course::find_nodes() {
  const auto& environment = launch_.site.environment();
  auto allocation = slurm::current_allocation(environment);
  if (!allocation) return false;
  // Slurm's variables are of the allocation's beginning: nodes may have been removed since.
  if (auto now = slurm::ask_allocation(allocation->job, time_to_ask)) allocation = now;
  if (allocation->nodes.empty()) return false;
  const auto& inherited = launch_.inherited;
  allocated_ =
      inherited ? inherited->allocated : static_cast<std::uint32_t>(allocation->nodes.size());
  shape_ = step_shape(launch_.request, asked_size(command_, environment, allocated_), allocated_);
  health_.emplace(launch_, allocation->job);
  if (launch_.request.preflight && !launch_.request.dry_run)
    preflight_.emplace(launch_, allocation->job);
  nodes_.emplace(std::move(*allocation), launch_.policy.heartbeat);
  return true;
}

void Course::begin(Attempt& attempt) {
  attempt.keep_idle(spares_);
  succession_->check_right();
  requeue_.begin(past_);
  succession_->begin({.past = past_,
                      .job_nodes = nodes_ ? nodes_->in_use() : std::vector<std::string>(),
                      .nodes = names_,
                      .spares = spares_,
                      .lost = nodes_ ? nodes_->lost() : std::vector<std::string>(),
                      .tasks_per_node = shape_.tasks_per_node.value_or(0),
                      .allocated = allocated_,
                      .line = requeue_.line()});
}

// The attempt whose supervisor has died with its node ends here, as one that has lost a node.
std::optional<int> Course::resume() {
  const auto& inherited = *launch_.inherited;
  const auto saved = restart::saved_from(inherited.attempts, launch_.policy.wall_start);
  if (!saved || saved->past.empty() || !nodes_) {
    throw Error("what the last supervisor has left is of no use, or Slurm does not answer");
  }
  past_ = saved->past;
  auto record = lost_attempt(inherited, past_.back().number, nodes_->allocation().nodes);
  record.wall_start = launch_.policy.wall_start;
  nodes_->never_remove(nodes_->allocation().batch_host);
  for (const auto& node : inherited.lost) nodes_->was_lost(node);
  nodes_->learn(record, launch_.policy.start);
  succession_->begin({.past = std::span(past_).first(past_.size() - 1),
                      .job_nodes = nodes_->in_use(),
                      .nodes = inherited.nodes,
                      .lost = nodes_->lost(),
                      .tasks_per_node = inherited.tasks_per_node,
                      .allocated = allocated_,
                      .line = requeue_.line()});
  auto report = report::make_report(record, {});
  past_.back() = restart::past_of(report, std::nullopt);
  old_step_remains_ = true;
  const auto& job = nodes_->allocation().job;
  for (const auto& step : slurm::running_steps(job, slurm::ask_task_name(job))) {
    record.step = step;
    if (step != inherited.heir_step) health_->learn(record, true);
  }
  const bool goes_on = again(record, report);
  last_ = report;
  // A host that had no ranks; and nodes that had not said yet who they are, as before a first attempt.
  std::erase_if(record.nodes,
                [&](const auto& node) { return !contains(inherited.nodes, node.name); });
  if (goes_on && choose_nodes(record) && !interrupted_before(not_before_)) return std::nullopt;
  if (!why_no_more_.empty()) os::say(os::Severity::error, "no further attempt: " + why_no_more_);
  const bool interrupted = interruption_->is_there();
  if (interrupted) report = interruption_->in(std::move(report));
  const auto code = show(report);
  requeue_.end(
      past_, report,
      {.too_few_nodes = too_few_nodes_, .signalled = interrupted && interruption_->is_warning()},
      *interruption_);
  return interrupted ? interruption_->exit_code() : code.value_or(EXIT_FAILURE);
}

}  // namespace muster::attempts
