// Configures hwloc: which parts of a machine it reads, and what it must not touch.
#include "core/topology/hwloc/handle.hpp"

#include "core/error.hpp"

#include <array>
#include <cstdlib>

#include <hwloc.h>

namespace muster::topology::hwloc {
namespace {

// Sets an environment variable only while hwloc reads it, so that child processes do not inherit
// it. A user's own setting stays. Not for use while other threads read the environment.
class ScopedVariable {
 public:
  // NOLINTBEGIN(concurrency-mt-unsafe)
  ScopedVariable(const char* name, const char* value)
      : name_(name), ours_(std::getenv(name) == nullptr) {
    if (ours_) setenv(name_, value, 0);
  }
  ~ScopedVariable() {
    if (ours_) unsetenv(name_);
  }
  // NOLINTEND(concurrency-mt-unsafe)
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  bool ours_;
};

// hwloc opens every plugin that it finds, including those it is configured not to use. OpenCL and
// GL load vendor libraries (2 ms and 3 MiB without a GPU). muster reads sysfs, which needs no
// plugin.
hwloc_topology_t start_hwloc() {
  const ScopedVariable no_plugins("HWLOC_PLUGINS_PATH", "/nonexistent");
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) throw Error("hwloc cannot start: out of memory");
  return topology;
}

// Vendor backends load the drivers' libraries, which is slow and has hung inside slurmstepd. The
// x86 backend binds itself to every CPU in turn to ask CPUID for facts that sysfs already has.
void refuse_components(hwloc_topology_t topology) {
  constexpr std::array unwanted{"cuda", "nvml", "rsmi", "opencl", "levelzero", "gl", "x86"};
  for (const char* name : unwanted)
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, name);
}

void choose_types(hwloc_topology_t topology, Scan scan) {
  hwloc_topology_set_cache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(topology, HWLOC_OBJ_L3CACHE, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (scan != Scan::devices) return;
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  // hwloc does not count DRM nodes as important. AMD's runtime counts by them, and only a GPU that
  // can compute has a render node.
  hwloc_topology_set_type_filter(topology, HWLOC_OBJ_OS_DEVICE, HWLOC_TYPE_FILTER_KEEP_ALL);
}

}  // namespace

void HwlocDestroy::operator()(hwloc_topology* topology) const {
  hwloc_topology_destroy(topology);
}

HwlocHandle new_hwloc_topology(Scan scan) {
  hwloc_topology_t raw = start_hwloc();
  HwlocHandle topology(raw);
  refuse_components(raw);
  choose_types(raw, scan);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  return topology;
}

bool load_hwloc_topology(hwloc_topology* topology) {
  const ScopedVariable no_banners("HWLOC_HIDE_ERRORS", "2");
  return hwloc_topology_load(topology) == 0;
}

}  // namespace muster::topology::hwloc
