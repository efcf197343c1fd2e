// Round-robin over too few PUs.
#include "core/binding/cores/overcommit.hpp"

namespace muster::binding::cores {
namespace {

std::size_t least_loaded(const CoreSlots& pus, const std::vector<std::size_t>& load,
                         const CpuSet& locality) {
  std::size_t best = pus.size();
  for (std::size_t i = 0; i < pus.size(); ++i)
    if (locality.intersects(pus[i].pus) && (best == pus.size() || load[i] < load[best])) best = i;
  return best;
}

}  // namespace

std::vector<CoreSlots> share_pus(const CoreSlots& pus, const std::vector<CpuSet>& localities) {
  std::vector<CoreSlots> shares;
  std::vector<std::size_t> load(pus.size(), 0);
  for (const auto& locality : localities) {
    const std::size_t pu = least_loaded(pus, load, locality);
    ++load[pu];
    shares.push_back({pus[pu]});
  }
  return shares;
}

}  // namespace muster::binding::cores
