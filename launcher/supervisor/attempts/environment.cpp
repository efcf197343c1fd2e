#include "launcher/supervisor/attempts/environment.hpp"

#include "core/error.hpp"
#include "core/slurm/allocation.hpp"
#include "core/srun/chosen_binding.hpp"
#include "core/srun/cpus_per_task.hpp"
#include "core/srun/het_step.hpp"
#include "core/srun/job_of_line.hpp"
#include "core/srun/kill_on_bad_exit.hpp"
#include "core/text/quote.hpp"
#include "launcher/channel/step/step_request.hpp"
#include "launcher/slurm/srun_environment.hpp"
#include "launcher/supervisor/supervision/logs.hpp"
#include "launcher/supervisor/supervision/program_check.hpp"
#include "launcher/supervisor/supervision/remarks.hpp"

#include <fmt/format.h>

namespace muster::attempts {
namespace {

constexpr std::size_t max_node_name = 255;

// Only this node sends its drawing: from thousands of nodes, that would be too much.
std::string node_to_see(const supervision::PlanStyle& style) {
  if (style.svg.empty()) return {};
  if (style.node.empty()) return step::rank_0s_node;
  if (style.node.size() <= max_node_name && text::is_utf8(style.node)) return style.node;
  throw Error(fmt::format("--node {}: no node has this name; leave --node out for rank 0's node",
                          text::in_quotes(style.node)));
}

// Empty outside a batch script of the step's job.
std::string batch_host(const Launch& launch) {
  const auto allocation = srun::allocation_of_line(launch.command, launch.site.environment());
  return allocation ? allocation->batch_host : "";
}

// The node on which the supervisor runs, if it is one of the job's.
std::string own_host(const Launch& launch) {
  return launch.inherited ? launch.inherited->successor_node : batch_host(launch);
}

step::StepRequest attempt_of(const Launch& launch, const Identity& identity) {
  const auto& command = launch.command;
  return {
      .request = launch.request,
      .number = identity.number,
      .key = identity.key,
      .program_elsewhere = supervision::program_elsewhere(command, launch.site.environment()),
      .channel = identity.channel,
      .hint = slurm::hint(command),
      .draw = node_to_see(launch.plan_style),
      .quiet = supervision::is_quiet(command),
      .chose_cpus = srun::chose_cpus(command) || srun::shares_job(command),
      .chose_cpu_bind = srun::chose_cpu_bind(launch.site.environment(), command),
      .ends_by_first_failure = launch.policy.ends_by_first_failure,
      .batch_host = own_host(launch),
      .job = launch.request.logs ? supervision::name_of_run(command, launch.site.environment()).job
                                 : logs::JobName{},
      .beside_other_step = identity.beside_other_step,
      .supervisor_step = launch.inherited ? launch.inherited->successor_step : "",
      .group = launch.membership ? std::optional(launch.membership->group) : std::nullopt,
      .lighthouse_port = launch.membership ? launch.membership->lighthouse_port : std::uint16_t{0}};
}

}  // namespace

std::vector<std::string> prepare_environment(const Launch& launch,
                                             const srun::Command& user_command,
                                             const Identity& identity) {
  const auto& environment = launch.site.environment();
  if (!launch.has_slurm()) {
    auto on_this_machine = identity;
    on_this_machine.channel.addresses = {"127.0.0.1", "::1"};
    slurm::apply(slurm::environment_of_child(environment, attempt_of(launch, on_this_machine)));
    return user_command.words;
  }
  // One rank's failure must not leave the others waiting for it. If there are agents, the supervisor stops
  // the others through them, with a grace period; srun would immediately send SIGKILL.
  const auto command = srun::with_kill_on_bad_exit(user_command, environment, !identity.channel);
  const auto change =
      slurm::srun_environment(environment, attempt_of(launch, identity), identity.pmix);
  slurm::apply(change);
  if (const auto cpus = srun::inherited_cpus_per_task(environment, launch.command)) {
    slurm::apply({{{"SRUN_CPUS_PER_TASK", *cpus}}, {}});
  }
  // Variables that the muster of an outer step set do not count as exported: they have just been removed.
  auto exported = environment;
  for (const auto& name : change.unset) exported.unset(name);
  slurm::apply(
      slurm::placeholders_for_nodes(exported, launch.site.profile(launch.request.profile)));
  if (!srun::heterogeneous(command)) return command.words;
  slurm::apply({{srun::export_layout_variable(environment)}, {}});
  return srun::export_layout(command);
}

}  // namespace muster::attempts
