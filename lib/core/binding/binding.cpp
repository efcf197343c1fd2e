// From a request to a plan: check, share GPUs, share CPUs by the policy, add what follows.
#include "core/binding/binding.hpp"

#include "core/binding/share.hpp"
#include "core/error.hpp"

#include <fmt/format.h>

namespace muster {
namespace {

void check(const Topology& topology, const BindingRequest& request) {
  if (request.tasks == 0) throw Error("a plan for no tasks was asked for; at least one is needed");
  if (!topology.pus.intersects(request.allowed))
    throw Error(fmt::format("none of the step's CPUs ({}) is a CPU of this node ({})",
                            request.allowed.to_string(), topology.pus.to_string()));
}

CpuSet cpus_of(const Slots& share, bool smt) {
  CpuSet cpus;
  for (const auto& slot : share) {
    if (smt)
      cpus |= slot.pus;
    else
      cpus.add(*slot.pus.first());
  }
  return cpus;
}

}  // namespace

BindingPlan bind(const Topology& topology, const BindingRequest& request) {
  check(topology, request);
  const CpuSet allowed = topology.pus & request.allowed;
  BindingPlan plan;
  plan.sets_cpus = request.policy != Bind::none;
  plan.tasks.resize(request.tasks);
  auto shares = share_cores(topology, allowed, std::vector<CpuSet>(request.tasks));
  for (std::size_t task = 0; task < request.tasks; ++task) {
    TaskBinding& binding = plan.tasks[task];
    binding.threads = shares.of_task[task].size();
    binding.cpus = plan.sets_cpus ? cpus_of(shares.of_task[task], request.smt) : allowed;
    binding.numa = numa_nodes_of(topology, binding.cpus);
  }
  if (shares.overcommitted && plan.sets_cpus)
    plan.warnings.push_back(
        fmt::format("{} tasks share {} CPUs; give the step more CPUs or fewer "
                    "tasks",
                    request.tasks, allowed.count()));
  return plan;
}

}  // namespace muster
