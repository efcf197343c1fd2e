#include "core/restart/plan_next.hpp"

#include "core/report/summary.hpp"
#include "core/restart/next_nodes_text.hpp"
#include "core/restart/requeue.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"

#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <sys/wait.h>

namespace muster::restart {
namespace {

std::vector<std::string> names_of(const report::Record& record) {
  std::vector<std::string> names;
  for (const auto& node : record.nodes) names.push_back(node.name);
  return names;
}

std::string start_line(const Rules& rules, const report::Record& record, const Choice& choice) {
  return fmt::format("restart {} of {} starts{}", record.attempt + 1,
                     rules.restarts + rules.requeue, changes(choice));
}

// As reported by the nodes; until then, as planned.
std::optional<std::uint32_t> tasks_after(const report::Record& record, const Placement& before) {
  return record.nodes.empty() ? before.tasks_per_node : equal_tasks(record);
}

// A program that was asked to stop may exit with any code, even 0. A second signal is the user's.
bool leaves_nodes(const EndedAttempt& attempt) {
  const auto& slurm = attempt.report.slurm.job_state;
  const bool runs = slurm.empty() || slurm == "RUNNING";
  return !attempt.drained.empty() && attempt.record.signals.size() < 2 && runs &&
         attempt.report.result != report::Result::timeout;
}

// Why the attempt cannot run on the chosen nodes; empty if it can.
std::string obstacle(const Start& start, const StepShape& shape) {
  if (!start.on_other_nodes) return {};
  if (shape.fixed) return "this srun specifies its nodes, so no other nodes can replace them";
  if (start.tasks_per_node) return {};
  return "the nodes have different numbers of tasks, so none can replace another";
}

std::string without_manager(const std::string& node) {
  return fmt::format(
      "{}, which manages the job's steps (enable_stepmgr), is lost: without it, no "
      "step can start on the other nodes",
      text::printable(node));
}

}  // namespace

std::variant<Finish, Retry> plan_next(const Rules& rules, std::span<const AttemptHistory> past,
                                      const EndedAttempt& attempt) {
  const auto& report = attempt.report;
  const bool is_forbidden = rank_that_forbids(rules.norestart, report) != nullptr;
  if (leaves_nodes(attempt) && !is_forbidden && attempt.lost_input.empty()) {
    return Retry{
        .line = fmt::format("attempt {} was stopped so that the run can leave {}", past.size() - 1,
                            text::printable(text::join(attempt.drained, ", "))),
        .delay = {}};
  }
  if (attempt.stopped || rules.restarts == 0 || report.result == report::Result::ok)
    return Finish{};
  if (cannot_start(attempt.record, report, past.first(past.size() - 1))) {
    return Finish{.why = "the program cannot start, and would fail again"};
  }
  const auto decision = decide(rules, past, report);
  if (!decision.again) return Finish{.why = decision.why};
  if (!attempt.lost_input.empty()) return Finish{.why = attempt.lost_input};
  return Retry{
      .line = fmt::format("attempt {} failed: {}", past.size() - 1, report::summary(report)),
      .delay = decision.pause};
}

Size size_after(const StepShape& shape, const report::Record& record) {
  if (shape.has_range || record.nodes.empty()) return shape.size;
  const auto count = static_cast<std::uint32_t>(record.nodes.size());
  return {.wanted = count, .min = count, .max = count};
}

std::variant<Finish, LookAgain, Start> plan_nodes(const Rules& rules, const StepShape& shape,
                                                  const Placement& before,
                                                  const report::Record& record,
                                                  const LookedAt& nodes) {
  if (!nodes.candidates) {
    auto why = lost_where_nodes_are_unknown(record);
    if (!why.empty()) return Finish{.why = std::move(why)};
    return Start{
        .nodes = before.nodes, .spares = before.spares, .tasks_per_node = before.tasks_per_node};
  }
  if (!nodes.lost_manager.empty()) {
    if (!nodes.last_look) return LookAgain{};
    return Finish{.why = without_manager(nodes.lost_manager), .too_few_nodes = true};
  }
  const auto& candidates = *nodes.candidates;
  const auto size = size_after(shape, record);
  const auto previous = record.nodes.empty() ? before.nodes : names_of(record);
  const auto choice = choose_nodes(candidates, previous, size);
  const bool enough = choice && choice->nodes.size() >= size.wanted;
  if (!enough && !nodes.last_look) return LookAgain{};
  if (!choice) return Finish{.why = too_few(candidates, size.min), .too_few_nodes = true};
  Start start{.line = start_line(rules, record, *choice),
              .nodes = choice->nodes,
              .spares = in_reserve(candidates, choice->nodes),
              .tasks_per_node = tasks_after(record, before),
              .on_other_nodes = !choice->left_out.empty() || !choice->added.empty()};
  auto why = obstacle(start, shape);
  if (why.empty()) return start;
  return Finish{.why = std::move(why), .nodes = choice->nodes};
}

Move move_to(const Start& start, const Placement& before, bool old_step_remains) {
  const bool otherwise = start.on_other_nodes || old_step_remains || before.shares_cores;
  const bool moves = otherwise && start.tasks_per_node;
  return {.placement = {.nodes = moves ? start.nodes : before.nodes,
                        .spares = start.spares,
                        .tasks_per_node = start.tasks_per_node,
                        .shares_cores = moves ? old_step_remains : before.shares_cores},
          .new_options = moves};
}

std::optional<int> exit_code(const RunEnd& end) {
  if (end.interrupted) return end.interrupted;
  if (!end.wait_status) return end.report_code.value_or(EXIT_FAILURE);
  const bool ended_by_signal = WIFSIGNALED(*end.wait_status) && !end.srun_killed;
  if (!ended_by_signal) return end.report_code;
  if (end.own_allocation) return 128 + WTERMSIG(*end.wait_status);
  return std::nullopt;
}

}  // namespace muster::restart
