#include "core/gpus/find.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace muster {
namespace {

// Indexes say which GPU is meant only where one vendor counts all of the node's.
std::optional<std::size_t> known(const Topology& topology, const std::string& id) {
  const auto& gpus = topology.gpus;
  for (std::size_t place = 0; place < gpus.size(); ++place) {
    if (gpus[place].uuid && *gpus[place].uuid == id) return place;
  }
  const auto index = gpu_index(id);
  const bool one_vendor =
      std::ranges::all_of(gpus, [&](const Gpu& gpu) { return gpu.vendor == gpus.front().vendor; });
  if (!index || !one_vendor) return std::nullopt;
  const auto found = std::ranges::find(gpus, *index, &Gpu::index);
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

std::vector<std::size_t> find_gpus(Topology& topology, const GpuGrant& grant) {
  const Topology& as_found = topology;
  std::vector<std::optional<std::size_t>> found;
  for (const auto& id : grant.ids) found.push_back(known(as_found, id));
  const bool all = std::ranges::all_of(found, [](const auto& place) { return place.has_value(); });
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (all) {
      positions.push_back(*found[i]);
      continue;
    }
    // Half a picture would put some tasks beside their GPUs and push others away from theirs.
    Gpu unknown;
    unknown.index = gpu_index(grant.ids[i]).value_or(static_cast<unsigned>(i));
    positions.push_back(topology.gpus.size());
    topology.gpus.push_back(unknown);
  }
  return positions;
}

}  // namespace muster
