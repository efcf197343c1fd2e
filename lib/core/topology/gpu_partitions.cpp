#include "core/topology/gpu_partitions.hpp"

#include "core/topology/topology.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace muster::topology {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_nodes = 1024;

// Replaces every GPU by the result of `parts` for it; links stay with the first part.
Topology replaced(Topology topology, const std::function<std::vector<Gpu>(const Gpu&)>& parts) {
  std::vector<Gpu> gpus;
  std::vector<std::size_t> first;
  for (const auto& gpu : topology.gpus) {
    first.push_back(gpus.size());
    for (auto& part : parts(gpu)) gpus.push_back(std::move(part));
  }
  for (auto& link : topology.gpu_links) link = {first.at(link.a), first.at(link.b), link.bandwidth};
  topology.gpus = std::move(gpus);
  return topology;
}

struct KfdGpu {
  PciAddress address;
  std::uint64_t unique_id = 0;
  unsigned index = 0;  // among the node's GPUs
};

std::map<std::string, std::uint64_t> properties(const fs::path& file) {
  std::map<std::string, std::uint64_t> values;
  std::ifstream stream(file);
  std::string name;
  std::uint64_t value = 0;
  while (stream >> name >> value) values[name] = value;
  return values;
}

PciAddress address_of(std::uint64_t domain, std::uint64_t location) {
  return {static_cast<std::uint32_t>(domain), static_cast<std::uint8_t>(location >> 8),
          static_cast<std::uint8_t>(location >> 3 & 0x1f), static_cast<std::uint8_t>(location & 7)};
}

std::size_t count_entries(const fs::path& directory) {
  std::error_code error;
  const fs::directory_iterator all(directory, error);
  return error ? 0 : static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// Empty if the properties of a node are empty: the step's device cgroup hides the GPUs of other steps.
std::optional<std::vector<KfdGpu>> kfd_gpus(const fs::path& nodes) {
  std::vector<KfdGpu> gpus;
  const auto count = std::min(count_entries(nodes), max_nodes);
  for (std::size_t i = 0; i < count; ++i) {
    auto node = properties(nodes / fmt::to_string(i) / "properties");
    if (node.empty()) return std::nullopt;
    if (node["simd_count"] == 0) continue;
    gpus.push_back({address_of(node["domain"], node["location_id"]), node["unique_id"],
                    static_cast<unsigned>(gpus.size())});
  }
  return gpus;
}

bool any_divided(const std::vector<KfdGpu>& gpus) {
  return std::ranges::any_of(gpus, [&](const KfdGpu& gpu) {
    return std::ranges::count(gpus, gpu.address, &KfdGpu::address) > 1;
  });
}

std::vector<Gpu> kfd_parts(const Gpu& gpu, const std::vector<KfdGpu>& all) {
  std::vector<Gpu> parts;
  for (const auto& each : all) {
    if (gpu.vendor != GpuVendor::amd || each.address != gpu.address) continue;
    auto part = gpu;
    part.partition = static_cast<unsigned>(parts.size());
    part.index = each.index;
    if (each.unique_id != 0) part.uuid = fmt::format("{:016x}", each.unique_id);
    parts.push_back(std::move(part));
  }
  return parts.empty() ? std::vector<Gpu>{gpu} : parts;
}

}  // namespace

Topology with_mig(Topology topology, const MigInstances& instances) {
  return replaced(std::move(topology), [&](const Gpu& gpu) -> std::vector<Gpu> {
    const auto found = instances.find(gpu.address);
    if (found == instances.end() || found->second.empty()) return {gpu};
    std::vector<Gpu> parts;
    for (const auto& uuid : found->second) {
      parts.push_back(gpu);
      parts.back().uuid = uuid;
      parts.back().partition = static_cast<unsigned>(parts.size() - 1);
    }
    return parts;
  });
}

Topology with_kfd_partitions(Topology topology, const fs::path& root) {
  const auto is_part = [](const Gpu& gpu) { return gpu.partition != 0; };
  const bool has_amd = std::ranges::count(topology.gpus, GpuVendor::amd, &Gpu::vendor) > 0;
  if (!has_amd || std::ranges::any_of(topology.gpus, is_part)) return topology;
  const auto gpus = kfd_gpus(root / "sys/class/kfd/kfd/topology/nodes");
  if (!gpus || !any_divided(*gpus)) return topology;
  return replaced(std::move(topology), [&](const Gpu& gpu) { return kfd_parts(gpu, *gpus); });
}

}  // namespace muster::topology
