#include "launcher/agent/monitored_step.hpp"

#include "core/view/choice.hpp"
#include "launcher/agent/context.hpp"
#include "launcher/agent/planning.hpp"
#include "launcher/step/facts.hpp"

#include <fmt/format.h>

namespace muster::agent {
namespace {

constexpr std::chrono::seconds slurms_kill_wait{30};  // unless slurm.conf has another

MonitorRules rules_of(const StepContext& context) {
  return {.heartbeat = context.request().heartbeat.limit,
          .grace = context.request().grace.value_or(slurms_kill_wait),
          .trust = context.site.trust(),
          .ends_on_failure = context.attempt.ends_by_first_failure};
}

// As plan::make_plan() names it in the rank's environment.
std::filesystem::path error_file(const PlannedNode& node, const plan::TaskPlan& task) {
  if (!node.errors || node.errors->path().empty()) return {};
  return std::filesystem::path(node.errors->path()) / fmt::to_string(task.local_rank) /
         "error.json";
}

// Without a supervisor nobody shows them.
std::vector<view::LogFile> log_files(const StepContext& context, const PlannedNode& node) {
  const auto& request = context.request();
  std::vector<view::LogFile> files;
  if (!request.logs || !request.supervise || request.view.show == option::View::Show::none)
    return {};
  const auto directory =
      std::filesystem::path(*request.logs) /
      fmt::format("{}-attempt-{}", step::run_id(context.name), context.attempt.number);
  for (const auto& task : node.plan.tasks) {
    const bool shown = view::shows(request.view, task.rank);
    if (!shown && request.view.show != option::View::Show::first) continue;
    for (const auto stream : {view::Stream::out, view::Stream::err}) {
      const view::Source source{task.rank, stream};
      files.push_back({source,
                       directory / fmt::format("rank-{}.{}", task.rank,
                                               stream == view::Stream::out ? "out" : "err"),
                       shown});
    }
  }
  return files;
}

}  // namespace

MonitoredStep monitored_step(const StepContext& context, const PlannedNode& node) {
  MonitoredStep step;
  step.step = step::run_id(context.name);
  step.cancel = fmt::format("{}.{}", context.facts.job_id, context.facts.step_id);
  step.node = context.node_name();
  step.is_alone = context.is_alone();
  step.ranks = static_cast<std::uint32_t>(context.layout.node_of_task.size());
  for (const auto& task : node.plan.tasks) {
    step.places.push_back({.rank = task.rank, .local_rank = task.local_rank});
    step.error_files.push_back(error_file(node, task));
  }
  if (!context.request().dry_run) step.supervisor = context.supervisor();
  if (step.supervisor) step.logs = log_files(context, node);
  step.rules = rules_of(context);
  step.environment = context.environment;
  return step;
}

}  // namespace muster::agent
