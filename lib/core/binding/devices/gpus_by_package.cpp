// Largest-remainder apportionment, within the bounds of equal shares.
#include "core/binding/devices/gpus_by_package.hpp"

#include "core/topology/topology.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace muster::binding::devices {
namespace {

std::optional<std::size_t> package_of(const topology::Topology& topology, std::size_t gpu) {
  const CpuSet& near = topology.gpus[gpu].at.cpus;
  for (std::size_t i = 0; i < topology.packages.size(); ++i)
    if (!near.empty() && topology.packages[i].cpus.includes(near)) return i;
  return std::nullopt;
}

// GPUs by package; empty if a GPU belongs to no package.
std::vector<PackageShare> by_package(const topology::Topology& topology, const GpuList& gpus) {
  std::vector<PackageShare> packages(topology.packages.size());
  for (const auto gpu : gpus) {
    const auto package = package_of(topology, gpu);
    if (!package) return {};
    packages[*package].gpus.push_back(gpu);
  }
  std::erase_if(packages, [](const PackageShare& package) { return package.gpus.empty(); });
  return packages;
}

bool links_cross_faster(const topology::Topology& topology,
                        const std::vector<PackageShare>& packages) {
  std::uint64_t across = 0;
  std::uint64_t inside = UINT64_MAX;
  const auto bandwidth = [&](std::size_t a, std::size_t b) {
    std::uint64_t best = 0;
    for (const auto& link : topology.gpu_links)
      if (link.a == std::min(a, b) && link.b == std::max(a, b))
        best = std::max(best, link.bandwidth);
    return best;
  };
  for (const auto& one : packages)
    for (const auto& other : packages)
      for (const auto a : one.gpus)
        for (const auto b : other.gpus) {
          if (a == b) continue;
          if (&one == &other)
            inside = std::min(inside, bandwidth(a, b));
          else
            across = std::max(across, bandwidth(a, b));
        }
  return across > inside;
}

// Adds one task to the package with the most GPUs per task; false if none can have another task.
bool add_task(std::vector<PackageShare>& packages, std::size_t least_gpus) {
  PackageShare* neediest = nullptr;
  for (auto& package : packages) {
    if ((package.tasks + 1) * least_gpus > package.gpus.size()) continue;
    if (neediest == nullptr ||
        package.gpus.size() * neediest->tasks > neediest->gpus.size() * package.tasks)
      neediest = &package;
  }
  if (neediest == nullptr) return false;
  ++neediest->tasks;
  return true;
}

}  // namespace

std::vector<PackageShare> tasks_per_package(const topology::Topology& topology, const GpuList& gpus,
                                            std::size_t tasks) {
  auto packages = by_package(topology, gpus);
  if (packages.size() < 2 || links_cross_faster(topology, packages)) return {};
  const std::size_t least_gpus = gpus.size() / tasks;
  std::size_t given = 0;
  for (auto& package : packages) {
    package.tasks = (package.gpus.size() + least_gpus) / (least_gpus + 1);  // rounded up
    given += package.tasks;
    if (package.tasks * least_gpus > package.gpus.size()) return {};
  }
  while (given < tasks && add_task(packages, least_gpus)) ++given;
  if (given != tasks) return {};
  return packages;
}

}  // namespace muster::binding::devices
