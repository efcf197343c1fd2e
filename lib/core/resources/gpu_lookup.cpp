#include "core/resources/gpu_lookup.hpp"

#include "core/resources/gpu_uuid.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace muster::resources {
namespace {

std::optional<std::size_t> with_uuid(const topology::Topology& topology, std::string_view uuid) {
  const auto found = std::ranges::find_if(
      topology.gpus, [&](const topology::Gpu& gpu) { return gpu.uuid && *gpu.uuid == uuid; });
  if (found == topology.gpus.end()) return std::nullopt;
  return static_cast<std::size_t>(found - topology.gpus.begin());
}

// If Slurm gives a step UUIDs, its own numbers count MIG instances as GPUs.
const std::string& name_of(const GpuGrant& grant, std::size_t i) {
  return is_uuid(grant.visible[i]) ? grant.visible[i] : grant.ids[i];
}

// Older drivers name an instance after its GPU: "MIG-GPU-029490c8-.../1/0".
std::string_view parent_of(std::string_view uuid) {
  constexpr std::string_view start = "MIG-GPU-";
  if (!uuid.starts_with(start)) return {};
  uuid.remove_prefix(std::string_view("MIG-").size());
  return uuid.substr(0, uuid.find('/'));
}

// An instance that is not in the topology gets the location of its GPU.
std::optional<std::size_t> add_instance(topology::Topology& topology, const std::string& uuid) {
  const auto parent = with_uuid(topology, parent_of(uuid));
  if (!parent) return std::nullopt;
  auto instance = topology.gpus[*parent];
  instance.partition = static_cast<unsigned>(
      std::ranges::count(topology.gpus, instance.address, &topology::Gpu::address));
  instance.uuid = uuid;
  topology.gpus.push_back(std::move(instance));
  return topology.gpus.size() - 1;
}

// An index identifies a GPU only if all GPUs of the node are from one vendor.
std::optional<std::size_t> known(const topology::Topology& topology, const std::string& id) {
  const auto& gpus = topology.gpus;
  if (const auto found = with_uuid(topology, id)) return found;
  const auto index = gpu_index(id);
  if (!index || !only_vendor(topology)) return std::nullopt;
  const auto found = std::ranges::find(gpus, *index, &topology::Gpu::index);
  if (found == gpus.end()) return std::nullopt;
  return static_cast<std::size_t>(found - gpus.begin());
}

}  // namespace

std::optional<unsigned> gpu_index(const std::string& id) {
  unsigned index = 0;
  const auto* const end = id.data() + id.size();
  const auto [stop, error] = std::from_chars(id.data(), end, index);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return index;
}

std::vector<std::size_t> find_gpus(topology::Topology& topology, const GpuGrant& grant) {
  const topology::Topology as_found = topology;
  std::vector<std::optional<std::size_t>> found;
  for (std::size_t i = 0; i < grant.ids.size(); ++i) {
    found.push_back(known(as_found, name_of(grant, i)));
    if (!found.back()) found.back() = add_instance(topology, name_of(grant, i));
  }
  const bool all = std::ranges::all_of(found, [](const auto& place) { return place.has_value(); });
  if (!all) topology = as_found;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (all) {
      positions.push_back(*found[i]);
      continue;
    }
    // Partial knowledge would put some tasks near their GPUs and push others away from theirs.
    topology::Gpu unknown;
    unknown.index = gpu_index(grant.ids[i]).value_or(static_cast<unsigned>(i));
    positions.push_back(topology.gpus.size());
    topology.gpus.push_back(unknown);
  }
  return positions;
}

}  // namespace muster::resources
