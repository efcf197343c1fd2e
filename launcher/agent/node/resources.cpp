#include "launcher/agent/node/resources.hpp"

#include "core/binding/binding.hpp"
#include "core/binding/cores/core_slots.hpp"
#include "core/cpuset.hpp"
#include "core/error.hpp"
#include "core/option/value_words.hpp"
#include "core/resources/fabric_names.hpp"
#include "core/resources/gpu_assignment.hpp"
#include "core/resources/gpu_lookup.hpp"
#include "core/resources/visible_gpus.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace muster::node {
namespace {

// The step's CPUs. Slurm gives the step's cores as abstract indexes. If these do not match the hardware
// (because slurm.conf describes a different machine), only the CPUs that the kernel allows are known.
CpuSet step_cpus(const topology::Topology& topology, const CpuSet& own, std::string_view cores) {
  const auto allowed = own & topology.pus;
  if (cores.empty()) return allowed;
  const auto pus = core_pus_by_logical_index(topology);
  CpuSet cpus;
  for (const auto core : CpuSet::parse(cores)) {
    if (core >= pus.size()) return allowed;
    cpus |= pus[core];
  }
  cpus &= allowed;
  return cpus.empty() ? allowed : cpus;
}

resources::GpuGrant grant_for(const topology::Topology& topology, const ResourceFacts& facts) {
  auto grant =
      resources::gpu_grant(facts.environment, facts.tres_bind, resources::only_vendor(topology));
  const bool has_all = grant.empty() && facts.source == site::GpuSource::all;
  return has_all ? resources::grant_of_all(topology, facts.environment) : grant;
}

std::vector<std::string> names_of(const topology::Topology& topology,
                                  const std::vector<std::size_t>& nics) {
  std::vector<std::string> names;
  for (const auto nic : nics) names.push_back(topology.nics[nic].name);
  return names;
}

wire::MemoryPolicy memory_of(const ResourceFacts& facts, const topology::NodeSet& near) {
  if (facts.user_bound_memory) return {};
  return memory_policy(facts.memory, near, facts.kernel);
}

// If the agent may run only on the step's own CPUs, it cannot see what Slurm reserves for itself. In that
// case all cores count.
void count_cores(NodeResources& node, const topology::Topology& topology, const CpuSet& allowed,
                 std::size_t tasks) {
  auto cores = binding::cores::usable_cores(topology, topology.pus & allowed);
  if (cores.size() <= tasks) cores = binding::cores::usable_cores(topology, topology.pus);
  node.cores = cores.size();
  node.threads_per_core =
      std::max<std::size_t>(1, count_pus(cores) / std::max<std::size_t>(cores.size(), 1));
}

// Which GPU a task has does not matter to a binding if all of them are near the same CPUs.
bool are_alike(const topology::Topology& topology, const std::vector<std::size_t>& gpus) {
  return std::ranges::all_of(gpus, [&](auto gpu) {
    const auto& near = topology.gpus[gpu].at.cpus;
    return !near.empty() && near == topology.gpus[gpus.front()].at.cpus;
  });
}

// What a binding may assume about the tasks' GPUs.
struct TaskGpus {
  std::vector<std::size_t> gpus = {};                  // as in a BindingRequest
  std::vector<std::vector<std::size_t>> of_task = {};  // likewise
  bool only_slurm_knows = false;
};

TaskGpus task_gpus(const topology::Topology& topology, const resources::GpuGrant& grant,
                   const std::vector<std::size_t>& gpus, std::size_t tasks) {
  using Kind = resources::GpuConfinement::Kind;
  if (grant.empty() || grant.confinement.kind == Kind::none) return {.gpus = gpus};
  if (const auto assigned = assigned_gpus(grant, tasks)) {
    std::vector<std::vector<std::size_t>> of_task;
    for (const auto& places : *assigned) {
      auto& own = of_task.emplace_back();
      for (const auto place : places) own.push_back(gpus[place]);
    }
    return {.gpus = gpus, .of_task = std::move(of_task)};
  }
  if (grant.confinement.kind == Kind::by_cpus && are_alike(topology, gpus)) {
    return {.gpus = gpus, .of_task = std::vector(tasks, gpus)};
  }
  return {.only_slurm_knows = true};
}

// If Slurm has chosen a task's GPU for the CPUs that it gave the task, the task keeps these: others may be on
// another socket.
struct Policy {
  option::Bind bind;
  std::string warning = {};
};

Policy policy_for(const TaskGpus& gpus, const ResourceFacts& facts) {
  using option::Bind;
  if (!gpus.only_slurm_knows) return {facts.bind};
  if (facts.user_bound || facts.bind == Bind::none || facts.bind == Bind::auto_)
    return {Bind::none};
  const bool required = facts.bind == Bind::exclusive;
  auto message = fmt::format(
      "bind={} needs to know each task's GPU, but only Slurm knows it (--gpus-per-task, --gpu-bind){}; use "
      "--gpus-per-node=N, or add --gpu-bind=none",
      option::word_for(facts.bind),
      required ? "" : ", so the tasks keep the CPUs that Slurm gave them");
  if (required) throw Error(message);
  return {Bind::none, std::move(message)};
}

}  // namespace

NodeResources share_node(topology::NodeTopology node, const CpuSet& allowed,
                         const ResourceFacts& facts) {
  auto result = share(std::move(node.topology), allowed, facts);
  result.warnings.insert(result.warnings.begin(), node.warnings.begin(), node.warnings.end());
  return result;
}

NodeResources share(topology::Topology topology, const CpuSet& allowed,
                    const ResourceFacts& facts) {
  const auto grant = grant_for(topology, facts);
  const auto gpus = find_gpus(topology, grant);
  const auto assumed = task_gpus(topology, grant, gpus, facts.tasks);
  const auto policy = policy_for(assumed, facts);
  const binding::BindingRequest wanted{.allowed = step_cpus(topology, allowed, facts.cores),
                                       .gpus = assumed.gpus,
                                       .gpus_of_task = assumed.of_task,
                                       .tasks = facts.tasks,
                                       .policy = policy.bind,
                                       .smt = facts.smt,
                                       .excluded_nics = facts.excluded_nics};
  const auto plan = bind(topology, wanted);
  auto views = gpu_views(topology, grant, gpus, plan, facts.gpus);

  NodeResources result{.tasks = {}, .warnings = plan.warnings};
  if (!policy.warning.empty()) result.warnings.push_back(policy.warning);
  count_cores(result, topology, allowed, facts.tasks);
  result.gpus = views.seen;
  result.warnings.insert(result.warnings.end(), views.warnings.begin(), views.warnings.end());
  const bool ours = plan.sets_cpus && !facts.user_bound;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const auto& task = plan.tasks[i];
    result.tasks.push_back({.cpus = ours ? task.cpus : CpuSet(),
                            .threads = std::min(task.threads, facts.max_threads),
                            .numa = ours ? task.numa : CpuSet(),
                            .memory = ours ? memory_of(facts, task.numa) : wire::MemoryPolicy(),
                            .cpus_required = ours && facts.bind == option::Bind::exclusive,
                            .gpus = std::move(views.own[i]),
                            .nics = names_of(topology, task.nics),
                            .view = std::move(views.tasks[i]),
                            .fabric = resources::fabric_names(topology, plan.nics, task.nics)});
  }
  return result;
}

}  // namespace muster::node
