// What is handed out: cores, cut down to the CPUs that the step may use.
#pragma once

#include "core/cpuset.hpp"
#include "core/topology/topology.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace muster {

struct Slot {
  CpuSet pus;  // never empty
  std::optional<std::size_t> package;
  std::optional<std::size_t> numa;
  std::optional<std::size_t> l3;
  std::size_t core = 0;  // position in Topology::cores

  friend bool operator==(const Slot&, const Slot&) = default;
};
using Slots = std::vector<Slot>;

// The usable cores in logical order.
Slots usable_cores(const Topology& topology, const CpuSet& allowed);

// The same hardware threads, each as a slot of its own; and back, joining those of one core.
Slots single_pus(const Slots& slots);
Slots joined_by_core(const Slots& pus);

std::size_t count_pus(const Slots& slots);

}  // namespace muster
