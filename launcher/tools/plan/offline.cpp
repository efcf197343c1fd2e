#include "launcher/tools/plan/offline.hpp"

#include "core/error.hpp"
#include "core/layout/numbering.hpp"
#include "core/option/keys.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/step_plan.hpp"
#include "core/profile/profile.hpp"
#include "core/profile/requirement.hpp"
#include "core/rendezvous/port_candidates.hpp"
#include "core/request/request.hpp"
#include "core/site/config.hpp"
#include "core/slurm/hostlist.hpp"
#include "core/text/amounts.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"
#include "launcher/agent/node/resources.hpp"
#include "launcher/site/installed.hpp"
#include "launcher/site/site.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace muster::plan {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

const topology::Gpu& gpu_named(const topology::Topology& topology, const std::string& name) {
  const auto found = std::ranges::find_if(topology.gpus, [&](const topology::Gpu& gpu) {
    return is_number(name) ? fmt::to_string(gpu.index) == name
                           : gpu.address == topology::PciAddress::parse(name);
  });
  if (found != topology.gpus.end()) return *found;
  throw Error(fmt::format("--gpus: the topology has no GPU {}: it has {}", text::in_quotes(name),
                          text::count(topology.gpus.size(), "GPU")));
}

std::vector<unsigned> gpu_indexes(const topology::Topology& topology, const std::string& list) {
  std::vector<unsigned> indexes;
  if (list.find_first_not_of("0123456789,-") == std::string::npos) {
    for (const auto index : CpuSet::parse(list)) {
      indexes.push_back(gpu_named(topology, fmt::to_string(index)).index);
    }
    return indexes;
  }
  std::string_view rest = list;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    indexes.push_back(gpu_named(topology, std::string(rest.substr(0, end))).index);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return indexes;
}

// The variables that Slurm would set in the step for these GPUs.
Environment with_gpus(Environment environment, const topology::Topology& topology,
                      const std::optional<std::string>& list) {
  static const std::map<topology::GpuVendor, const char*> variables{
      {topology::GpuVendor::nvidia, "CUDA_VISIBLE_DEVICES"},
      {topology::GpuVendor::amd, "ROCR_VISIBLE_DEVICES"},
      {topology::GpuVendor::intel, "ZE_AFFINITY_MASK"}};
  std::vector<unsigned> indexes;
  if (list) {
    indexes = gpu_indexes(topology, *list);
  } else {
    for (const auto& gpu : topology.gpus) indexes.push_back(gpu.index);
  }
  if (indexes.empty()) return environment;
  const auto text = text::join(indexes, ",");
  environment.set("SLURM_STEP_GPUS", text);
  for (const auto& gpu : topology.gpus) {
    const auto variable = variables.find(gpu.vendor);
    if (variable != variables.end()) environment.set(variable->second, text);
  }
  return environment;
}

rendezvous::Rendezvous likely_rendezvous(const OfflineFacts& facts) {
  const auto* const users = facts.site.environment().if_set("MASTER_PORT");
  const rendezvous::PortSources sources{
      .user = users == nullptr ? std::nullopt : std::optional(*users),
      .option = facts.request.port,
      .option_origin = source(facts.request, option::Key("port")).origin,
      .reserved = std::nullopt,
      .site = facts.site.config().port_range};
  const auto ports = port_candidates(sources, {});
  return {facts.layout.first_address, ports.ports.front(), ports.origin};
}

NodePlan node_plan(const OfflineFacts& facts, const profile::Profile& profile,
                   const layout::RankNumbering& step, const rendezvous::Rendezvous& rendezvous,
                   layout::NodeIndex node) {
  const auto environment = with_gpus(facts.site.environment(), facts.topology, facts.gpus);
  const auto cpus = facts.cpuset ? CpuSet::parse(*facts.cpuset) : facts.topology.pus;
  auto resources = node::share(
      facts.topology, cpus,
      {.bind = facts.request.bind,
       .memory = facts.request.memory,
       .smt = facts.request.smt,
       .gpus = gpus_of(facts.request, profile),
       .environment = environment,
       .cores = {},
       .tres_bind = {},
       .tasks = step.tasks_of_node[node],
       .excluded_nics = excluded_nics(facts.site.config().nics, facts.layout.nodes[node]),
       .user_bound = false,
       .user_bound_memory = false,
       .kernel = {numa_nodes_of(facts.topology, facts.topology.pus)}});
  auto plan = make_plan({.request = facts.request,
                         .profile = profile,
                         .layout = facts.layout,
                         .node = node,
                         .rendezvous = rendezvous,
                         .network = {},
                         .resources = std::move(resources.tasks),
                         .endpoints = {},
                         .run_id = "0.0",
                         .error_directory = {},
                         .log_directory = {},
                         .start_hook = site::installed_start_hook(),
                         .store = store_server(facts.request, profile, environment),
                         .attempt = 0,
                         .environment = environment,
                         .policy = facts.site.config().policy.variables});
  for (const auto& warning : resources.warnings) {
    plan.warnings.push_back(fmt::format("{}: {}", facts.layout.nodes[node], warning));
  }
  return plan;
}

}  // namespace

namespace {

// Merges equal warnings from several nodes into one, "node[1-64]: ...", at the first of these nodes.
void join_equal_warnings(StepPlan& plan) {
  for (auto first = plan.nodes.begin(); first != plan.nodes.end(); ++first) {
    for (auto& warning : first->warnings) {
      const auto own = first->node + ": ";
      if (!warning.starts_with(own)) continue;
      const auto text = warning.substr(own.size());
      std::vector<std::string> names{first->node};
      for (auto other = std::next(first); other != plan.nodes.end(); ++other) {
        if (std::erase(other->warnings, other->node + ": " + text) > 0)
          names.push_back(other->node);
      }
      if (names.size() > 1) warning = slurm::compress_hostlist(names) + ": " + text;
    }
  }
}

}  // namespace

StepPlan offline_plan(const OfflineFacts& facts) {
  const auto profile = facts.site.profile(facts.request.profile);
  const auto step = number_ranks(facts.layout, facts.request.ranks);
  check_requirements(profile, facts.layout, step);
  StepPlan plan{profile.name, likely_rendezvous(facts), {}};
  for (layout::NodeIndex node = 0; node < facts.layout.nodes.size(); ++node) {
    if (step.tasks_of_node[node] == 0) continue;
    plan.nodes.push_back(node_plan(facts, profile, step, plan.rendezvous, node));
  }
  std::ranges::sort(plan.nodes, {}, &NodePlan::node_rank);
  join_equal_warnings(plan);
  plan.nodes.front().warnings.push_back(
      "computed without a step: address, port, interfaces, run id and error files are known "
      "only on the nodes");
  return plan;
}

}  // namespace muster::plan
