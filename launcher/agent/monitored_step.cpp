#include "launcher/agent/monitored_step.hpp"

#include "core/file/trusted_file.hpp"
#include "core/option/keys.hpp"
#include "core/slurm/config.hpp"
#include "core/text/number.hpp"
#include "core/view/choice.hpp"
#include "launcher/agent/context.hpp"
#include "launcher/agent/planning.hpp"
#include "launcher/channel/step/another_attempt.hpp"
#include "launcher/channel/step/facts.hpp"

#include <set>
#include <tuple>

#include <fmt/format.h>

namespace muster::agent {
namespace {

// If no requeue limit is set, there is none.
restart::LostHostRules lost_host_rules(const StepContext& context) {
  restart::LostHostRules rules;
  rules.host = context.attempt.batch_host;
  rules.step = context.attempt.supervisor_step;
  rules.requeues_before =
      text::number<std::uint32_t>(context.environment.get("SLURM_RESTART_COUNT")).value_or(0);
  const auto& request = context.request();
  if (source(request, option::Key("requeue")).origin != Origin::default_) {
    rules.requeue = request.requeue;
  }
  return rules;
}

MonitorRules rules_of(const StepContext& context) {
  return {.heartbeat = context.request().heartbeat.limit,
          .fences = step::another_may_start(context.request()),
          .grace = context.request().grace.value_or(slurm::default_kill_wait),
          .owners = slurm_owners(context.site.trust(), context.facts.slurmstepd),
          .ends_on_failure = context.attempt.ends_by_first_failure,
          .looks_for_hangs = context.request().hang.has_value(),
          .looks_for_slow = context.request().slow.has_value(),
          .inspects = context.request().inspect,
          .lost_host = lost_host_rules(context)};
}

// The same path that plan::make_plan() puts into the rank's environment.
std::filesystem::path error_file(const PlannedNode& node, const plan::TaskPlan& task) {
  if (!node.errors || node.errors->path().empty()) return {};
  return std::filesystem::path(node.errors->path()) / fmt::to_string(task.local_rank) /
         "error.json";
}

// Ranks may share GPUs.
std::uint32_t gpus_of(const plan::NodePlan& plan) {
  std::set<std::tuple<std::optional<unsigned>, std::string, std::optional<std::string>>> gpus;
  for (const auto& task : plan.tasks) {
    for (const auto& gpu : task.resources.gpus) gpus.emplace(gpu.index, gpu.busid, gpu.uuid);
  }
  return static_cast<std::uint32_t>(gpus.size());
}

// The log files that the live view may show.
std::vector<view::LogFile> log_files(const StepContext& context, const PlannedNode& node) {
  using Show = option::View::Show;
  const auto& view = context.request().view;
  std::vector<view::LogFile> files;
  for (const auto& task : node.plan.tasks) {
    if (task.output.empty()) continue;
    const auto add = [&](view::Stream stream, const std::string& file) {
      const view::Source source{task.rank, stream};
      const bool shown = view::shows(view, source);
      if (shown || view.show == Show::first) files.push_back({source, file, shown});
    };
    add(view::Stream::out, task.output);
    add(view::Stream::err, task.error);
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
  step.gpus = gpus_of(node.plan);
  step.port = node.rendezvous.port;
  for (const auto& task : node.plan.tasks) {
    step.places.push_back({.rank = task.rank, .local_rank = task.local_rank});
    step.gpu_addresses.emplace_back();
    for (const auto& gpu : task.resources.gpus) step.gpu_addresses.back().push_back(gpu.busid);
    step.error_files.push_back(error_file(node, task));
    if (!task.error.empty()) step.stderr_files.emplace_back(task.error);
  }
  if (!context.request().dry_run) step.supervisor = context.supervisor();
  if (step.supervisor) step.logs = log_files(context, node);
  step.rules = rules_of(context);
  step.environment = context.environment;
  step.temporary_directories = step::temporary_directories(context.environment);
  step.start = {context.begun, node.times.came, node.times.met};
  return step;
}

}  // namespace muster::agent
