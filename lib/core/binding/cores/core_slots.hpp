// The unit that tasks receive: a core, limited to the CPUs that the step may use.
#pragma once

#include "core/cpuset.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace muster::topology {
struct Topology;
}

namespace muster::binding::cores {

struct CoreSlot {
  CpuSet pus;  // never empty
  std::optional<std::size_t> package;
  std::optional<std::size_t> numa;
  std::optional<std::size_t> l3;
  std::size_t core = 0;  // position in Topology::cores

  friend bool operator==(const CoreSlot&, const CoreSlot&) = default;
};
using CoreSlots = std::vector<CoreSlot>;

// The usable cores in logical order.
CoreSlots usable_cores(const topology::Topology& topology, const CpuSet& allowed);

// single_pus: the same hardware threads, each as its own slot. joined_by_core: the reverse, with
// the threads of one core joined.
CoreSlots single_pus(const CoreSlots& slots);
CoreSlots joined_by_core(const CoreSlots& pus);

std::size_t count_pus(const CoreSlots& slots);

}  // namespace muster::binding::cores
