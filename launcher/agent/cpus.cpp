#include "cpus.hpp"

#include "core/binding/binding.hpp"
#include "core/cpuset.hpp"
#include "core/error.hpp"
#include "core/topology/load.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include <fmt/format.h>
#include <sched.h>

namespace muster::agent {
namespace {

constexpr std::size_t kernel_words = 128;  // 8192 CPUs

// The CPUs that this process, a child of slurmstepd, may run on: the node without what Slurm keeps
// for itself.
CpuSet own_cpus() {
  std::vector<std::uint64_t> words(kernel_words);
  auto* const mask = reinterpret_cast<cpu_set_t*>(words.data());
  if (sched_getaffinity(0, words.size() * sizeof(std::uint64_t), mask) != 0) return {};
  return CpuSet::from_words(words);
}

// The step's CPUs. Slurm names the step's cores by abstract indexes; where they do not fit the
// hardware (slurm.conf claims another machine), what the kernel allows is all that is known.
CpuSet step_cpus(const Topology& topology, const std::string& cores) {
  const auto allowed = own_cpus() & topology.pus;
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

}  // namespace

NodeCpus bind_tasks(const Request& request, const wire::StepFacts& facts, bool user_bound) {
  const auto topology = load_live_topology(Scan::cpus);
  const BindingRequest wanted{.allowed = step_cpus(topology, facts.cores),
                              .gpus = {},
                              .tasks = facts.global_ids.size(),
                              .policy = request.bind,
                              .smt = true,
                              .excluded_nics = {}};
  const auto plan = bind(topology, wanted);
  NodeCpus result{.tasks = {}, .warnings = plan.warnings};
  for (const auto& task : plan.tasks) {
    const bool ours = plan.sets_cpus && !user_bound;
    result.tasks.push_back({ours ? task.cpus : CpuSet(), task.threads});
  }
  return result;
}

}  // namespace muster::agent
