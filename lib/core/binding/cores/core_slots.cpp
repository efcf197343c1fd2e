// CoreSlots from a topology's cores.
#include "core/binding/cores/core_slots.hpp"

#include "core/topology/topology.hpp"

namespace muster::binding::cores {

CoreSlots usable_cores(const topology::Topology& topology, const CpuSet& allowed) {
  CoreSlots slots;
  for (std::size_t i = 0; i < topology.cores.size(); ++i) {
    const topology::Core& core = topology.cores[i];
    CpuSet pus = core.pus & allowed;
    if (!pus.empty()) slots.push_back({std::move(pus), core.package, core.numa, core.l3, i});
  }
  return slots;
}

CoreSlots single_pus(const CoreSlots& slots) {
  CoreSlots singles;
  for (const auto& slot : slots)
    for (const unsigned pu : slot.pus)
      singles.push_back({{pu}, slot.package, slot.numa, slot.l3, slot.core});
  return singles;
}

CoreSlots joined_by_core(const CoreSlots& pus) {
  CoreSlots cores;
  for (const auto& pu : pus) {
    if (cores.empty() || cores.back().core != pu.core)
      cores.push_back(pu);
    else
      cores.back().pus |= pu.pus;
  }
  return cores;
}

std::size_t count_pus(const CoreSlots& slots) {
  std::size_t sum = 0;
  for (const auto& slot : slots) sum += slot.pus.count();
  return sum;
}

}  // namespace muster::binding::cores
