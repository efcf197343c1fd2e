// An entry in a site's map: the CPUs and NICs near a device.
#pragma once

#include "core/cpuset.hpp"

#include <string>
#include <vector>

namespace muster::topology {

struct MappedDevice {
  bool is_nic = false;
  std::string name;               // GPU: the vendor's index or a bus ID; NIC: its name or a bus ID
  CpuSet cpus;                    // empty: keep what was found
  std::vector<std::string> nics;  // names of the NICs behind the same switch as this GPU
  std::string where;              // where the entry is in the site's file

  friend bool operator==(const MappedDevice&, const MappedDevice&) = default;
};

}  // namespace muster::topology
