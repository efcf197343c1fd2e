// GPUs in the order of their vendor's tools, with the same numbers.
#include "core/topology/hwloc/gpus.hpp"

#include "core/topology/hwloc/gpu_detection.hpp"
#include "core/topology/hwloc/links.hpp"
#include "core/topology/topology.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace muster::topology::hwloc {
namespace {

struct Found {
  Gpu gpu;
  std::optional<unsigned> index;
  unsigned render = 0;
  hwloc_obj* object = nullptr;
};

std::vector<Found> find_gpus(const std::vector<PciObject>& devices) {
  std::vector<Found> found;
  for (const auto& device : devices) {
    unsigned partition = 0;
    for (auto& identity : gpus_on(device)) {
      const Gpu gpu{gpu_vendor(device),       0,        device.address, partition++,
                    std::move(identity.uuid), device.at};
      found.push_back({gpu, identity.index, render_node(device).value_or(0), identity.object});
    }
  }
  return found;
}

// If a vendor's library counted only some of that vendor's GPUs, it does not manage the others: displays,
// or devices passed to a virtual machine.
void keep_what_the_vendor_counts(std::vector<Found>& found) {
  std::set<GpuVendor> counted;
  for (const auto& f : found)
    if (f.index) counted.insert(f.gpu.vendor);
  std::erase_if(found, [&](const Found& f) { return !f.index && counted.contains(f.gpu.vendor); });
}

auto order(const Found& found) {
  const bool by_render_node = found.gpu.vendor == GpuVendor::amd && !found.index;
  return std::tuple(found.gpu.vendor, found.index.value_or(0), by_render_node ? found.render : 0,
                    found.gpu.address, found.gpu.partition);
}

void number(std::vector<Found>& found) {
  std::map<GpuVendor, unsigned> next;
  for (auto& f : found) f.gpu.index = f.index.value_or(next[f.gpu.vendor]++);
}

}  // namespace

void read_gpus(hwloc_topology* hwloc, const std::vector<PciObject>& devices, Topology& topology) {
  auto found = find_gpus(devices);
  keep_what_the_vendor_counts(found);
  std::ranges::sort(found, [](const Found& a, const Found& b) { return order(a) < order(b); });
  number(found);
  std::vector<hwloc_obj*> objects;
  for (auto& f : found) {
    topology.gpus.push_back(std::move(f.gpu));
    objects.push_back(f.object);
  }
  topology.gpu_links = read_gpu_links(hwloc, objects);
}

}  // namespace muster::topology::hwloc
