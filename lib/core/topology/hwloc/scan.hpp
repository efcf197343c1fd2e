// How much of this machine hwloc reads.
#pragma once

namespace muster::topology::hwloc {

enum class Scan {
  cpus,     // processors and memory only: 1 ms where a scan of PCI took 8 (a VM with two devices)
  devices,  // also GPUs and NICs, from sysfs and /proc
};

}  // namespace muster::topology::hwloc
