#include "launcher/supervisor/attempts/node_search.hpp"

#include "core/contains.hpp"
#include "core/error.hpp"
#include "core/option/keys.hpp"
#include "core/request/for_job.hpp"
#include "core/request/request.hpp"
#include "core/srun/het_step.hpp"
#include "core/srun/job_of_line.hpp"
#include "core/srun/step_size.hpp"
#include "launcher/os/output.hpp"
#include "launcher/slurm/ask.hpp"
#include "launcher/slurm/drained.hpp"
#include "launcher/slurm/old_step.hpp"
#include "launcher/supervisor/attempts/missing_prerequisites.hpp"
#include "launcher/supervisor/attempts/node_pool.hpp"
#include "launcher/supervisor/supervision/remarks.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace muster::attempts {
namespace {

constexpr std::chrono::milliseconds scontrol_timeout{2000};
constexpr std::chrono::milliseconds old_step_timeout{300};
constexpr std::chrono::seconds drained_ask_interval{60};
constexpr std::chrono::seconds drained_look_interval{5};  // at the pool
// A group that begins may be short of nodes for a moment only: all groups begin at once after the loss of the
// lighthouse, and with it of a node.
constexpr unsigned group_looks = 4;
constexpr std::chrono::seconds group_look_interval{2};

bool wants_preflight(const request::Request& request) {
  return request.preflight && !request.dry_run;
}

// A step with a size of its own does without a key that was set for the whole job.
bool is_dispensable(const Launch& launch, option::Key key) {
  return srun::has_own_size(launch.command) &&
         !request::is_on_line(launch.request, key, launch.command);
}

}  // namespace

NodeSearch::NodeSearch(const Launch& launch)
    : launch_(launch), elasticity_{.spares = launch.request.spares, .nodes = launch.request.nodes} {
  const auto& request = launch.request;
  const bool needs_nodes = is_elastic() || wants_preflight(request);
  if (!needs_nodes || srun::heterogeneous(launch.command) || !find()) {
    if (wants_preflight(request)) {
      os::say(os::Severity::warning,
              "preflight: skipped, because the step's nodes are not known yet");
    }
    return;
  }
  if (request.restarts == 0 || allocated_ < 2) return;
  if (launch.membership && launch.membership->group.number != 0) return;  // group 0 tells it
  supervision::remark(
      launch.command,
      missing_prerequisites(slurm::ask_config(scontrol_timeout).config.value_or(slurm::Config()),
                            launch.policy.heartbeat));
}

bool NodeSearch::reserves() const {
  return elasticity_.spares > 0 || elasticity_.nodes || launch_.membership;
}

bool NodeSearch::is_elastic() const {
  return reserves() || launch_.request.restarts > 0 || launch_.request.drain;
}

// False if they are unknown.
bool NodeSearch::find() {
  const auto& environment = launch_.site.environment();
  auto allocation = srun::allocation_of_line(launch_.command, environment);
  if (!allocation) return false;
  // Slurm's variables describe the allocation at its beginning: nodes may have been removed since.
  if (auto now = slurm::ask_allocation(allocation->job, scontrol_timeout)) allocation = now;
  if (allocation->nodes.empty()) return false;
  const auto& request = launch_.request;
  allocated_ = launch_.inherited ? launch_.inherited->allocated
               : launch_.renewed ? launch_.renewed->allocated
                                 : static_cast<std::uint32_t>(allocation->nodes.size());
  const auto asked = restart::asked_size(launch_.command, environment, allocated_);
  const bool is_smaller = restart::is_smaller_than_run(elasticity_, asked, allocated_);
  adapt(asked);
  if (const auto& membership = launch_.membership) {
    shape_.size = {membership->nodes, membership->nodes, membership->nodes};
    shape_.tasks_per_node = membership->tasks_per_node;
  }
  health_.emplace(launch_, allocation->job);
  // Steps such as `srun -N1 hostname` do not wait for a test that was meant for the job's run.
  const bool preflights = !is_smaller || !is_dispensable(launch_, option::Key("preflight"));
  if (wants_preflight(request) && preflights) preflight_.emplace(launch_, allocation->job);
  jobs_.emplace(std::move(*allocation), launch_.policy.heartbeat);
  return true;
}

void NodeSearch::adapt(const srun::StepSize& asked) {
  auto step = restart::elastic_step(elasticity_,
                                    {.spares = is_dispensable(launch_, option::Key("spares")),
                                     .nodes = is_dispensable(launch_, option::Key("nodes"))},
                                    asked, allocated_);
  supervision::remark(launch_.command, step.line);
  leaves_nodes_ = restart::leaves_nodes(step, allocated_) &&
                  srun::determines_size(launch_.command, step.shape.size.wanted);
  elasticity_ = step.elasticity;
  shape_ = step.shape;
}

// Used if no attempt can follow the first one.
void NodeSearch::forget() {
  jobs_.reset();
  health_.reset();
  shape_ = {};
}

// If the user's options leave the choice of nodes to Slurm, muster chooses them only if there is a reason to
// avoid one of the job's nodes.
std::optional<restart::Start> NodeSearch::first_nodes(
    std::span<const restart::AttemptHistory> past) {
  if (!jobs_) return std::nullopt;
  std::optional<restart::Start> start;
  if (!launch_.inherited && (reserves() || preflight_)) start = choose_first(past);
  if (!is_elastic()) forget();
  return start;
}

std::optional<restart::Start> NodeSearch::choose_first(
    std::span<const restart::AttemptHistory> past) {
  auto candidates = open_nodes(ask_candidates(restart::suspects(past, restart::Time(0)), -1));
  if (preflight_) {
    preflight_->run(static_cast<std::uint32_t>(past.size()), candidates, -1);
    const bool others = !shape_.fixed && shape_.tasks_per_node && preflight_->finds_fault();
    if (!reserves() && !others) {
      preflight_->conclude(jobs_->allocation().nodes, 0);
      return std::nullopt;
    }
    candidates = preflight_->judge(std::move(candidates));
  }
  // Only Slurm knows which nodes the job's other steps have just got. Several steps that start at once would
  // otherwise all choose the job's first node.
  const bool all_fit = std::ranges::all_of(
      candidates, [](const auto& candidate) { return candidate.fitness == restart::Fitness::fit; });
  if (leaves_nodes_ && all_fit && !launch_.membership) {
    conclude(jobs_->allocation().nodes, 0);
    return std::nullopt;
  }
  std::vector<std::string> own;
  std::optional<restart::Choice> choice;
  const auto choose = [&] {
    candidates = open_nodes(std::move(candidates));
    choice = restart::choose_nodes(candidates, own, shape_.size);
    return choice ? choice->nodes : std::vector<std::string>();
  };
  if (const auto& membership = launch_.membership) {
    const auto group = membership->group.number;
    own = membership->pool.nodes_of(group);
    bool taken = membership->pool.take(group, choose);
    for (unsigned looks = 1; !taken && looks < group_looks; ++looks) {
      std::this_thread::sleep_for(group_look_interval);
      candidates = ask_candidates(restart::suspects(past, restart::Time(0)), -1);
      if (preflight_) candidates = preflight_->judge(std::move(candidates));
      taken = membership->pool.take(group, choose);
    }
    if (!taken) membership->pool.set_short_of_nodes(group);
  } else {
    choose();
  }
  conclude(choice ? choice->nodes : std::vector<std::string>(), shape_.size.wanted);
  if (!choice) {
    throw Error(fmt::format(
        "too few of the job's nodes can be used: the run needs {}, and the job has {} in "
        "all; see sinfo",
        shape_.size.min, jobs_->allocation().nodes.size()));
  }
  return restart::Start{.nodes = choice->nodes,
                        .spares = restart::in_reserve(candidates, choice->nodes),
                        .tasks_per_node = shape_.tasks_per_node,
                        .on_other_nodes = true};
}

void NodeSearch::learn(const report::Record& record, const report::Report& report,
                       bool killed_srun) {
  if (!jobs_) return;
  const auto before = jobs_->last_words();
  jobs_->learn(record, launch_.policy.start);
  tell_of_lost(before);
  // A step whose launch failed also holds its nodes until Slurm has given up the lost one.
  if (killed_srun || report.cause == report::Cause::launch) old_step_remains_ = true;
  health_->learn(record, killed_srun);
}

void NodeSearch::take_over(const restart::Handover& inherited, report::Record record) {
  const auto& job = allocation().job;
  jobs_->never_remove(allocation().batch_host);
  for (const auto& node : inherited.lost) jobs_->was_lost(node);
  jobs_->learn(record, launch_.policy.start);
  old_step_remains_ = true;
  for (const auto& step : slurm::running_steps(job, slurm::ask_task_name(job))) {
    record.step = step;
    if (step != inherited.successor_step) health_->learn(record, true);
  }
}

NodeSearch::Clock::time_point NodeSearch::fenced() const {
  return jobs_ ? jobs_->fenced() : Clock::time_point::min();
}

std::optional<std::chrono::milliseconds> NodeSearch::check_time() const {
  if (!jobs_) return std::nullopt;
  const auto health = health_->time();
  if (!health && !preflight_) return std::nullopt;
  return health.value_or(std::chrono::milliseconds{0}) +
         (preflight_ ? preflight_->time_between() : std::chrono::milliseconds{0});
}

void NodeSearch::check(std::uint32_t number, int interrupt) {
  const auto found = open_nodes(ask_candidates({}, interrupt));
  if (health_->time()) health_->ask(found, shape_.fixed, interrupt);
  if (preflight_) preflight_->run(number, found, interrupt);
}

std::optional<std::vector<restart::Candidate>> NodeSearch::candidates(
    std::span<const restart::Suspect> suspects, int interrupt) {
  if (!jobs_) return std::nullopt;
  auto found = health_->judge(open_nodes(ask_candidates(suspects, interrupt)));
  return preflight_ && !shape_.fixed ? preflight_->judge(std::move(found)) : found;
}

// Without those of other groups.
std::vector<restart::Candidate> NodeSearch::open_nodes(std::vector<restart::Candidate> all) {
  if (!launch_.membership) return all;
  const auto pool = launch_.membership->pool.all();
  const auto group = launch_.membership->group.number;
  std::erase_if(all, [&](const auto& candidate) {
    const auto is_of_it = [&](const auto& node) { return node.name == candidate.name; };
    const auto is_open = [&](const auto& node) {
      return is_of_it(node) && node.group.value_or(group) == group;
    };
    return std::ranges::any_of(pool.nodes, is_of_it) && std::ranges::none_of(pool.nodes, is_open);
  });
  return all;
}

std::vector<restart::Candidate> NodeSearch::ask_candidates(
    std::span<const restart::Suspect> suspects, int interrupt) {
  learn_of_lost();
  const auto before = jobs_->last_words();
  auto all = jobs_->candidates(suspects, interrupt);
  tell_of_lost(before);
  return all;
}

// Another group may have lost a node and let it go, or used one that this group had lost.
void NodeSearch::learn_of_lost() {
  if (!launch_.membership) return;
  for (const auto& node : launch_.membership->pool.open_to(launch_.membership->group.number)) {
    if (node.lost_at) {
      jobs_->was_lost(
          node.name, Clock::time_point(std::chrono::duration_cast<Clock::duration>(*node.lost_at)));
    } else {
      jobs_->was_used_elsewhere(node.name);
    }
  }
}

// Only what is new: a node that this group lost earlier may have been used by others since.
void NodeSearch::tell_of_lost(const std::map<std::string, Clock::time_point>& before) {
  if (!launch_.membership) return;
  for (const auto& [node, word] : jobs_->last_words()) {
    const auto known = before.find(node);
    if (known != before.end() && known->second == word) continue;
    launch_.membership->pool.lose(launch_.membership->group.number, node, word.time_since_epoch());
  }
}

std::string NodeSearch::lost_step_manager() const {
  return jobs_ ? jobs_->lost_step_manager() : std::string();
}

bool NodeSearch::take(std::span<const std::string> nodes) {
  if (!launch_.membership) return true;
  return launch_.membership->pool.take(launch_.membership->group.number, nodes);
}

void NodeSearch::conclude(std::span<const std::string> nodes, std::uint32_t wanted) {
  if (preflight_) preflight_->conclude(nodes, wanted);
}

bool NodeSearch::old_step_remains(const std::string& step) const {
  if (!jobs_) return false;
  return old_step_remains_ || (!step.empty() && !jobs_->waited_for_controller() &&
                               slurm::step_remains(step, old_step_timeout));
}

slurm::EnvironmentChange NodeSearch::environment() const {
  return jobs_ ? jobs_->environment() : slurm::EnvironmentChange();
}

std::vector<std::string> NodeSearch::drained(std::span<const std::string> nodes) {
  if (!jobs_ || shape_.fixed || Clock::now() < ask_again_) return {};
  auto drained = ask_drained(nodes);
  if (drained.empty()) return {};
  ask_again_ = Clock::now() + drained_ask_interval;
  const auto found = candidates({}, -1);
  const auto is_free = [&](const restart::Candidate& node) {
    return node.fitness == restart::Fitness::fit && !contains(nodes, node.name);
  };
  if (const auto& membership = launch_.membership) {
    std::size_t parts = 0;
    for (const auto& node : membership->pool.all().nodes) {
      const auto known = std::ranges::find(*found, node.name, &restart::Candidate::name);
      if (!node.group && known != found->end() && is_free(*known)) ++parts;
    }
    if (!membership->pool.leave_drained(membership->group.number, parts)) drained.clear();
    return drained;
  }
  const auto others = static_cast<std::size_t>(std::ranges::count_if(*found, is_free));
  const auto wanted = shape_.has_range ? shape_.size.min : nodes.size();
  return nodes.size() - drained.size() + others >= wanted ? drained : std::vector<std::string>();
}

std::vector<std::string> NodeSearch::ask_drained(std::span<const std::string> nodes) {
  if (launch_.membership)
    return launch_.membership->pool.drained_of(launch_.membership->group.number);
  return slurm::ask_drained(nodes, scontrol_timeout).value_or(std::vector<std::string>());
}

std::chrono::seconds NodeSearch::drained_interval() const {
  return launch_.membership ? drained_look_interval : drained_ask_interval;
}

PeriodicTask NodeSearch::removal() {
  return jobs_ && !launch_.membership ? jobs_->removal() : PeriodicTask();
}

std::vector<std::string> NodeSearch::in_use() const {
  return jobs_ ? jobs_->in_use() : std::vector<std::string>();
}

std::vector<std::string> NodeSearch::lost() const {
  return jobs_ ? jobs_->lost() : std::vector<std::string>();
}

std::vector<report::PreflightRun> NodeSearch::preflights() const {
  return preflight_ ? preflight_->runs() : std::vector<report::PreflightRun>();
}

}  // namespace muster::attempts
