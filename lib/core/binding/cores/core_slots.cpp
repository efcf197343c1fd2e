// Slots from a topology's cores.
#include "core/binding/cores/core_slots.hpp"

namespace muster {

Slots usable_cores(const Topology& topology, const CpuSet& allowed) {
  Slots slots;
  for (std::size_t i = 0; i < topology.cores.size(); ++i) {
    const Core& core = topology.cores[i];
    CpuSet pus = core.pus & allowed;
    if (!pus.empty()) slots.push_back({std::move(pus), core.package, core.numa, core.l3, i});
  }
  return slots;
}

Slots single_pus(const Slots& slots) {
  Slots singles;
  for (const auto& slot : slots)
    for (const unsigned pu : slot.pus)
      singles.push_back({{pu}, slot.package, slot.numa, slot.l3, slot.core});
  return singles;
}

Slots joined_by_core(const Slots& pus) {
  Slots cores;
  for (const auto& pu : pus) {
    if (cores.empty() || cores.back().core != pu.core)
      cores.push_back(pu);
    else
      cores.back().pus |= pu.pus;
  }
  return cores;
}

std::size_t count_pus(const Slots& slots) {
  std::size_t sum = 0;
  for (const auto& slot : slots) sum += slot.pus.count();
  return sum;
}

}  // namespace muster
