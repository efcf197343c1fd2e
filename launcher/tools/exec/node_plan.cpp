#include "launcher/tools/exec/node_plan.hpp"

#include "core/error.hpp"
#include "core/layout/numbering.hpp"
#include "core/layout/slurm_variables.hpp"
#include "core/option/conversion.hpp"
#include "core/option/key_table.hpp"
#include "core/plan/network_remark.hpp"
#include "core/profile/requirement.hpp"
#include "core/rendezvous/port_candidates.hpp"
#include "core/request/needs.hpp"
#include "core/site/config.hpp"
#include "launcher/agent/node/kernel_memory.hpp"
#include "launcher/agent/node/library_settings.hpp"
#include "launcher/agent/node/network.hpp"
#include "launcher/agent/node/node_addresses.hpp"
#include "launcher/agent/node/resources.hpp"
#include "launcher/agent/node/site_variables.hpp"
#include "launcher/agent/node/slurm_binding.hpp"
#include "launcher/agent/node/variable_remark.hpp"
#include "launcher/agent/port/task_ports.hpp"
#include "launcher/channel/step/facts.hpp"
#include "launcher/site/site.hpp"
#include "launcher/tools/exec/step_gpus.hpp"
#include "launcher/topology/node_topology.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace muster::exec {
namespace {

constexpr std::chrono::seconds resolve_timeout{5};

Environment with_gpus(Environment environment, const Environment& gpus) {
  for (const auto& [name, value] : gpus) environment.set(name, value);
  return environment;
}

CpuSet all_cpus(const std::vector<TaskReport>& reports) {
  CpuSet cpus;
  for (const auto& report : reports) cpus |= report.cpus;
  return cpus;
}

std::vector<Environment> gpus_by_task(const std::vector<TaskReport>& reports) {
  std::vector<Environment> gpus;
  for (const auto& report : reports) gpus.push_back(report.gpus);
  return gpus;
}

// If no rule determines a task's GPUs, the task itself has counted them.
void number_own_gpus(node::NodeResources& resources, const StepGpus& gpus) {
  for (std::size_t i = 0; i < resources.tasks.size(); ++i) {
    auto& own = resources.tasks[i].view.own;
    if (!own.empty() || gpus.tres_bind.empty()) continue;
    own.resize(gpus.count[i]);
    std::iota(own.begin(), own.end(), std::size_t{0});
  }
}

// A task's mask looks like the user's own choice even if Slurm made it.
std::size_t room_for_threads(const Environment& environment) {
  return user_bound_cpus(environment) ? node::max_threads(environment)
                                      : std::numeric_limits<std::size_t>::max();
}

node::NodeResources resources_of(const NodeFacts& facts, const request::Request& request,
                                 const profile::Profile& profile, const std::string& node) {
  const auto gpus =
      step_gpus(gpus_by_task(facts.reports), facts.environment.get("SLURM_GPUS_ON_NODE"));
  const auto environment = with_gpus(facts.environment, gpus.variables);
  auto resources =
      node::share_node(topology::node_topology({.site = facts.site,
                                                .environment = environment,
                                                .node = node,
                                                .verbose = request.verbose}),
                       all_cpus(facts.reports),
                       {.bind = node::bind_of(facts.environment, request.bind),
                        .memory = request.memory,
                        .smt = request.smt,
                        .gpus = gpus_of(request, profile),
                        .environment = environment,
                        .cores = {},
                        .tres_bind = gpus.tres_bind,
                        .tasks = facts.reports.size(),
                        .source = facts.site.config().topology.gpus,
                        .excluded_nics = excluded_nics(facts.site.config().nics, node),
                        .user_bound = user_bound_cpus(facts.environment),
                        .max_threads = room_for_threads(facts.environment),
                        .user_bound_memory = node::user_bound_memory(facts.environment),
                        .kernel = node::kernel_memory()});
  number_own_gpus(resources, gpus);
  return resources;
}

// Only a node that is alone may choose: otherwise the other nodes find rank 0's node by its name.
asio::ip::address master_of(const std::vector<os::Interface>& interfaces,
                            const request::Request& request, const layout::Layout& layout,
                            bool is_host) {
  const auto& host = layout.nodes[layout.node_of_task.front()];
  if (node_count(layout) == 1) {
    const auto own = node::node_addresses(interfaces, request.network, std::nullopt);
    return own.ranks.empty() ? asio::ip::make_address("127.0.0.1") : own.ranks.front();
  }
  const auto known = os::resolve(host, resolve_timeout);
  if (!is_host && known.is_loopback()) {
    throw Error(fmt::format(
        "on this node, the name {} resolves to {}, but rank 0 runs on another node; correct "
        "/etc/hosts on this node, or export MASTER_ADDR",
        host, known.to_string()));
  }
  if (!is_host) return known;
  const auto own = node::node_addresses(interfaces, {}, known);
  return own.all.empty() ? known : own.all.front();
}

// The ports of all tasks are exchanged through a supervisor.
void check_expressible(const profile::Profile& profile) {
  if (!port::wants_endpoints(profile)) return;
  throw Error(
      fmt::format("profile {} needs a port for every task, and muster exec cannot exchange ports; "
                  "start with srun --distributed={} where the site has the plugin",
                  profile.name, profile.name));
}

}  // namespace

rendezvous::PortCandidates ports_of(const Environment& environment, const request::Request& request,
                                    const site::Config& config, const rendezvous::StepName& step) {
  auto ports = port_candidates(step::port_sources_of(environment, request, config), step);
  ports.ports.resize(1);
  return ports;
}

void check_without_supervisor(const request::Request& request) {
  const auto key = first_asked(request, option::Need::agent);
  if (!key) return;
  throw Error(
      fmt::format("{}: {}={} needs a supervisor, which muster exec does not provide; leave it "
                  "out, or start with srun --distributed where the site has the plugin",
                  source(request, *key).where, info(*key).name, value_of(request, *key)));
}

namespace {

// The step as this node's tasks know it, before anything about the node has been examined.
struct KnownStep {
  layout::Layout layout;
  request::Request request;
  profile::Profile profile;
  layout::NodeIndex node = 0;  // this one

  [[nodiscard]] const std::string& node_name() const { return layout.nodes[node]; }
  [[nodiscard]] bool is_leader() const { return layout.node_of_task.front() == node; }
};

KnownStep read_step(const NodeFacts& facts) {
  auto layout = layout::layout_from_variables(facts.environment, facts.task.node_index,
                                              facts.task.local_tasks);
  const auto& config = facts.site.config();
  auto request = node::with_slurms_threads(
      step::with_sites_network(facts.request, config, facts.environment, layout), config,
      facts.environment);
  auto profile = facts.site.profile(request.profile);
  check_expressible(profile);
  check_requirements(profile, layout, number_ranks(layout, request.ranks));
  return {std::move(layout), std::move(request), std::move(profile), facts.task.node_index};
}

rendezvous::Rendezvous rendezvous_of(const NodeFacts& facts, const KnownStep& step,
                                     const std::vector<os::Interface>& interfaces) {
  const auto master = master_of(interfaces, step.request, step.layout, step.is_leader());
  const auto ports =
      ports_of(facts.environment, step.request, facts.site.config(), facts.task.step);
  return {master.to_string(), ports.ports.front(), ports.origin};
}

plan::NodePlan plan_of(const NodeFacts& facts, const KnownStep& step,
                       const std::vector<os::Interface>& interfaces,
                       const rendezvous::Rendezvous& rendezvous) {
  const auto chosen = node::chosen_interface(interfaces, step.request, step.node_name());
  const auto master = asio::ip::make_address(rendezvous.address);
  const auto network = node::node_network(node::network_facts(interfaces, master, step.is_leader()),
                                          step.request, chosen);
  auto resources = resources_of(facts, step.request, step.profile, step.node_name());
  auto variables = node::site_variables({.site = facts.site,
                                         .environment = facts.environment,
                                         .node = step.node_name(),
                                         .features = step.layout.first_features,
                                         .nodes = node_count(step.layout)});
  node::respect(variables.others.files, resources.tasks);
  std::ranges::move(variables.warnings, std::back_inserter(resources.warnings));
  auto plan = plan::make_plan({.request = step.request,
                               .profile = step.profile,
                               .layout = step.layout,
                               .node = step.node,
                               .rendezvous = rendezvous,
                               .network = network,
                               .resources = std::move(resources.tasks),
                               .endpoints = {},
                               .run_id = step::run_id(facts.task.step),
                               .error_directory = {},
                               .log_directory = {},
                               .attempt = 0,
                               .environment = facts.environment,
                               .others = std::move(variables.others),
                               .policy = facts.site.config().policy.variables});
  for (const auto& warning : resources.warnings) {
    plan.warnings.push_back(fmt::format("{}: {}", plan.node, warning));
  }
  if (step.request.explain || step.request.dry_run || step.request.verbose) {
    auto remark = node::variable_remark(plan, facts.environment, node_count(step.layout));
    if (plan.node_rank == 0 && !remark.empty()) plan.warnings.push_back(std::move(remark));
    remark = network_remark(plan, network, step.profile);
    if (!remark.empty()) plan.warnings.push_back(std::move(remark));
  }
  return plan;
}

Exchange exchange_of(const NodeFacts& facts, const KnownStep& step,
                     const rendezvous::Rendezvous& rendezvous) {
  const auto port = exchange_port(facts.environment, step.request, facts.site.config(),
                                  step.profile, facts.task.step, rendezvous.port);
  return exchange(facts.environment, rendezvous.address, port, step::run_id(facts.task.step));
}

}  // namespace

PlannedNode node_plan(const NodeFacts& facts) {
  const auto step = read_step(facts);
  const auto interfaces = os::interfaces();
  const auto rendezvous = rendezvous_of(facts, step, interfaces);
  auto plan = plan_of(facts, step, interfaces, rendezvous);
  auto ranks_exchange = exchange_of(facts, step, rendezvous);
  if (!ranks_exchange.warning.empty()) {
    plan.warnings.push_back(fmt::format("{}: {}", plan.node, ranks_exchange.warning));
  }
  return {{.profile = step.profile.name, .rendezvous = rendezvous, .nodes = {std::move(plan)}},
          std::move(ranks_exchange)};
}

}  // namespace muster::exec
