#include "usual_steps.hpp"

#include <cstddef>
#include <optional>
#include <utility>

namespace muster::golden {
namespace {

CpuSet without_first_cores(const topology::Topology& node) {
  CpuSet rest = node.pus;
  std::optional<std::pair<std::optional<std::size_t>, std::optional<std::size_t>>> last;
  for (const auto& core : node.cores) {
    const std::pair part{core.numa, core.l3};
    if (last != part) rest -= core.pus;
    last = part;
  }
  return rest;
}

template <typename Keep>
CpuSet where(const topology::Topology& node, Keep keep) {
  CpuSet kept;
  std::size_t place = 0;
  for (const unsigned pu : node.pus)
    if (keep(place++)) kept.add(pu);
  return kept;
}

CpuSet first_threads(const topology::Topology& node) {
  CpuSet threads;
  for (const auto& core : node.cores) threads.add(*core.pus.first());
  return threads;
}

CpuSet without_first_numa_node(const topology::Topology& node) {
  return node.numa_nodes.empty() ? node.pus : node.pus - node.numa_nodes.front().cpus;
}

// A step always has a CPU.
std::vector<StepCpus> without_empty_ones(std::vector<StepCpus> all) {
  std::erase_if(all, [](const StepCpus& cpus) { return cpus.set.empty(); });
  return all;
}

}  // namespace

std::vector<StepCpus> usual_cpusets(const topology::Topology& node) {
  const CpuSet reserved = without_first_cores(node);
  return {{"all", node.pus},
          {"reserved", reserved.empty() ? node.pus : reserved},
          {"third", where(node, [](std::size_t i) { return i % 3 == 0; })},
          {"one", CpuSet{*node.pus.first()}}};
}

std::vector<StepCpus> awkward_cpusets(const topology::Topology& node) {
  const std::size_t half = node.pus.count() / 2;
  return without_empty_ones({{"threads", first_threads(node)},
                             {"half", where(node, [&](std::size_t i) { return i >= half; })},
                             {"holes", where(node, [](std::size_t i) { return i * i % 7 < 3; })},
                             {"far", without_first_numa_node(node)}});
}

}  // namespace muster::golden
