// How much of this machine hwloc reads.
#pragma once

namespace muster::topology::hwloc {

enum class Scan {
  cpus,     // only processors and memory: 1 ms, instead of 8 ms with PCI (a VM with two devices)
  devices,  // GPUs and NICs as well, from sysfs and /proc
};

}  // namespace muster::topology::hwloc
