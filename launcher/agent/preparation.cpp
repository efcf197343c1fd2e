#include "launcher/agent/preparation.hpp"

#include "core/error.hpp"
#include "core/layout/numbering.hpp"
#include "core/profile/requirement.hpp"
#include "core/remark/few_cores.hpp"
#include "core/remark/idle_gpus.hpp"
#include "launcher/agent/node/kernel_memory.hpp"
#include "launcher/agent/node/library_settings.hpp"
#include "launcher/agent/node/network.hpp"
#include "launcher/agent/node/program_lookup.hpp"
#include "launcher/agent/node/site_variables.hpp"
#include "launcher/agent/node/slurm_binding.hpp"
#include "launcher/os/own_cpus.hpp"
#include "launcher/topology/node_topology.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace muster::agent {
namespace {

node::NodeVariables variables_of(const StepContext& context) {
  return node::site_variables({.site = context.site,
                               .environment = context.environment,
                               .node = context.node_name(),
                               .features = context.layout.first_features,
                               .nodes = node_count(context.layout)});
}

std::optional<topology::hwloc::Scan> scan_of(bool alone) {
  return alone ? std::optional(topology::hwloc::Scan::devices) : std::nullopt;
}

node::NodeResources resources_of(const StepContext& context, const profile::Profile& profile,
                                 node::NodeVariables& variables) {
  const auto& request = context.request();
  const auto& environment = context.environment;
  const auto& config = context.site.config();
  // Without Slurm no GPUs were granted to the step, so it gets all of the machine's GPUs.
  const bool alone = context.facts.without_slurm;
  // The agent is a child of slurmstepd: it may run on the whole node except for what Slurm reserves for
  // itself.
  auto resources =
      node::share_node(topology::node_topology({.site = context.site,
                                                .environment = environment,
                                                .node = context.node_name(),
                                                .verbose = request.verbose,
                                                .scan = scan_of(alone)}),
                       os::own_cpus(),
                       {.bind = node::bind_of(environment, request.bind),
                        .memory = request.memory,
                        .smt = request.smt,
                        .gpus = gpus_of(request, profile),
                        .environment = environment,
                        .cores = context.facts.cores,
                        .tres_bind = context.layout.tres_bind,
                        .tasks = context.facts.global_ids.size(),
                        .source = alone ? site::GpuSource::all : config.topology.gpus,
                        .excluded_nics = excluded_nics(config.nics, context.node_name()),
                        .user_bound = node::user_bound_cpus(environment),
                        .max_threads = node::max_threads(environment),
                        .user_bound_memory = node::user_bound_memory(environment),
                        .kernel = node::kernel_memory()});
  node::respect(variables.others.files, resources.tasks);
  std::ranges::move(variables.warnings, std::back_inserter(resources.warnings));
  return resources;
}

// Remarks about the part of the node that its tasks leave unused.
void add_remarks(const StepContext& context, const profile::Profile& profile,
                 node::NodeResources& resources) {
  const auto& request = context.request();
  const auto& environment = context.environment;
  const remark::NodeCores cores{
      .node = resources.cores,
      .threads_per_core = resources.threads_per_core,
      .step = CpuSet::parse(context.facts.cores).count(),
      .job_cpus = remark::job_cpus(environment, context.node_name()),
      // Without Slurm there is no scheduler that could be asked for more.
      .chosen = context.facts.without_slurm || context.attempt.chose_cpus ||
                node::user_bound_cpus(environment) || environment.contains("SLURM_CPUS_PER_TASK") ||
                environment.contains("SLURM_CPUS_PER_GPU")};
  const auto gpus = gpus_of(request, profile);
  const auto confinement = resources::parse_gpu_confinement(context.layout.tres_bind);
  for (auto& line : {remark::few_cores(profile, node::bind_of(environment, request.bind),
                                       resources.tasks, cores),
                     remark::idle_gpus(profile, gpus, resources.tasks, confinement),
                     remark::too_few_gpus(profile, gpus, resources.tasks, confinement)})
    if (!line.empty()) resources.warnings.push_back(line);
}

void check_program(const StepContext& context) {
  if (context.attempt.program_elsewhere || context.facts.other_root) return;
  const auto& facts = context.facts;
  const auto missing =
      node::missing_program(facts.arguments, context.environment, facts.working_directory);
  if (!missing.empty()) throw Error(fmt::format("{}: {}", context.node_name(), missing));
}

NodeSetup set_up(const StepContext& context, const std::vector<os::Interface>& interfaces) {
  const auto& request = context.request();
  if (!context.objection.empty())
    throw Error(fmt::format("{}: {}", context.node_name(), context.objection));
  auto profile = context.site.profile(request.profile);
  check_requirements(profile, context.layout, number_ranks(context.layout, request.ranks));
  store_server(request, profile, context.environment);  // refuses what cannot be served
  auto variables = variables_of(context);
  auto resources = resources_of(context, profile, variables);
  add_remarks(context, profile, resources);
  auto chosen = node::chosen_interface(interfaces, request, context.node_name());
  check_program(context);
  return {std::move(profile), std::move(resources), std::move(variables.others), std::move(chosen),
          make_log_files(context)};
}

// If no port was chosen by hand, any port will do, as long as the other nodes can learn which one it is.
port::HeldPort hold_rendezvous(const StepContext& context) {
  const bool others_learn = context.can_meet_others() && context.supervisor();
  if (!context.has_chosen_port() && (context.is_alone() || others_learn)) {
    if (auto held = port::hold_any(context.ports.ports)) return std::move(*held);
    if (auto free = port::HeldPort::hold_free()) return std::move(*free);
  }
  return port::hold_first(context.ports, context.node_name());
}

// Any port will do, as long as the other nodes can learn which one it is.
std::optional<port::HeldPort> hold_exchange(const StepContext& context,
                                            const std::vector<rendezvous::Port>& candidates) {
  auto held = port::hold_any(candidates, port::Admits::own_user);
  const bool others_learn = context.is_alone() || context.can_meet_others();
  return held || !others_learn ? std::move(held)
                               : port::HeldPort::hold_free(port::Admits::own_user);
}

// Scripts that do not use the worker library need no exchange, so the step continues without a port for it.
HeldPorts hold_ports(const StepContext& context, const profile::Profile& profile) {
  HeldPorts ports;
  if (context.is_leader()) {
    ports.rendezvous.emplace(hold_rendezvous(context));
    if (context.can_meet_others()) ports.rendezvous->keep_listening();
  }
  if (profile.mode != profile::Mode::rank) return ports;
  const auto master = ports.rendezvous ? ports.rendezvous->port() : context.ports.ports.front();
  auto candidates = exchange_port_candidates(context.port_sources, context.name, master);
  // If the nodes cannot tell each other a port, they all rely on the first candidate.
  if (!context.is_alone() && !context.can_meet_others() && !candidates.empty()) {
    candidates.resize(1);
    ports.exchange_port = candidates.front();
  }
  if (!context.is_leader()) return ports;
  ports.exchange = hold_exchange(context, candidates);
  if (ports.exchange) ports.exchange_port = ports.exchange->port();
  return ports;
}

}  // namespace

PreparedNode prepare(const StepContext& context) {
  PreparedNode node{.interfaces = os::interfaces(), .setup = {}, .ports = {}, .failure = {}};
  try {
    node.setup = set_up(context, node.interfaces);
    node.ports = hold_ports(context, node.setup->profile);
  } catch (const Error& error) {
    if (!context.can_meet_others()) throw;
    node.failure = error.what();
  }
  return node;
}

}  // namespace muster::agent
