// hwloc stores link bandwidths as a matrix over GPUs and, on NVSwitch machines, switches.
#include "core/topology/hwloc/links.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include <hwloc.h>
#include <hwloc/distances.h>

namespace muster::topology::hwloc {
namespace {

using Matrix = std::unique_ptr<hwloc_distances_s, std::function<void(hwloc_distances_s*)>>;

Matrix find_matrix(hwloc_topology* hwloc, const char* name) {
  unsigned count = 1;
  hwloc_distances_s* matrix = nullptr;
  if (hwloc_distances_get_by_name(hwloc, name, &count, &matrix, 0) != 0 || count == 0)
    return nullptr;
  return {matrix, [hwloc](hwloc_distances_s* m) { hwloc_distances_release(hwloc, m); }};
}

// Switches are left out: they connect all their GPUs equally.
std::vector<GpuLink> links_in(const hwloc_distances_s& matrix,
                              const std::map<hwloc_obj*, std::size_t>& gpu_of) {
  std::vector<GpuLink> links;
  for (unsigned row = 0; row < matrix.nbobjs; ++row) {
    const auto a = gpu_of.find(matrix.objs[row]);
    if (a == gpu_of.end()) continue;
    for (unsigned column = 0; column < matrix.nbobjs; ++column) {
      const auto b = gpu_of.find(matrix.objs[column]);
      const auto bandwidth = matrix.values[row * matrix.nbobjs + column];
      if (b != gpu_of.end() && a->second < b->second && bandwidth != 0)
        links.push_back({a->second, b->second, bandwidth});
    }
  }
  return links;
}

}  // namespace

std::vector<GpuLink> read_gpu_links(hwloc_topology* hwloc, const std::vector<hwloc_obj*>& gpus) {
  std::map<hwloc_obj*, std::size_t> gpu_of;
  for (std::size_t i = 0; i < gpus.size(); ++i)
    if (gpus[i] != nullptr) gpu_of.emplace(gpus[i], i);
  std::vector<GpuLink> links;
  for (const char* name : {"NVLinkBandwidth", "XGMIBandwidth"})
    if (const Matrix matrix = find_matrix(hwloc, name))
      std::ranges::copy(links_in(*matrix, gpu_of), std::back_inserter(links));
  std::ranges::sort(links, {}, [](const GpuLink& link) { return std::pair(link.a, link.b); });
  return links;
}

}  // namespace muster::topology::hwloc
