// Configures hwloc: which parts of a machine it reads, and what it must not touch.
#include "core/topology/hwloc_handle.hpp"

#include "core/error.hpp"

#include <array>
#include <cstdlib>
#include <mutex>

#include <hwloc.h>

namespace muster {
namespace {

// hwloc opens every plugin it finds, also those it is told not to use: OpenCL and GL drag vendor
// libraries in (2 ms and 3 MiB without a GPU). What we read comes from sysfs, which needs none.
// A user's own setting stands.
void keep_plugins_out() {
  static std::once_flag once;
  std::call_once(once, [] {
    // NOLINTBEGIN(concurrency-mt-unsafe): once, before hwloc starts anything
    setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 0);
    setenv("HWLOC_HIDE_ERRORS", "2", 0);
    // NOLINTEND(concurrency-mt-unsafe)
  });
}

// Vendor backends load drivers' libraries, which is slow and has hung inside slurmstepd; x86
// binds itself to every CPU in turn to ask CPUID what sysfs already says.
void refuse_components(hwloc_topology_t topology) {
  constexpr std::array unwanted{"cuda", "nvml", "rsmi", "opencl", "levelzero", "gl", "x86"};
  for (const char* name : unwanted)
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, name);
}

void choose_types(hwloc_topology_t topology, Scan scan) {
  hwloc_topology_set_cache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(topology, HWLOC_OBJ_L3CACHE, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (scan == Scan::devices)
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
}

}  // namespace

void HwlocDestroy::operator()(hwloc_topology* topology) const {
  hwloc_topology_destroy(topology);
}

HwlocHandle new_hwloc_topology(Scan scan) {
  keep_plugins_out();
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw Error("hwloc cannot start: out of memory");
  HwlocHandle topology(raw);
  refuse_components(raw);
  choose_types(raw, scan);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  return topology;
}

}  // namespace muster
