// Slots from a topology's cores.
#include "core/binding/slot.hpp"

namespace muster {

Slots usable_cores(const Topology& topology, const CpuSet& allowed) {
  Slots slots;
  for (const auto& core : topology.cores) {
    CpuSet pus = core.pus & allowed;
    if (!pus.empty()) slots.push_back({std::move(pus), core.package, core.numa, core.l3});
  }
  return slots;
}

Slots single_pus(const Slots& slots) {
  Slots singles;
  for (const auto& slot : slots)
    for (const unsigned pu : slot.pus) singles.push_back({{pu}, slot.package, slot.numa, slot.l3});
  return singles;
}

std::size_t count_pus(const Slots& slots) {
  std::size_t sum = 0;
  for (const auto& slot : slots) sum += slot.pus.count();
  return sum;
}

}  // namespace muster
