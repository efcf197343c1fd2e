// Round-robin over too few PUs.
#include "core/binding/cores/overcommit.hpp"

namespace muster {
namespace {

std::size_t least_loaded(const Slots& pus, const std::vector<std::size_t>& load,
                         const CpuSet& home) {
  std::size_t best = pus.size();
  for (std::size_t i = 0; i < pus.size(); ++i)
    if (home.intersects(pus[i].pus) && (best == pus.size() || load[i] < load[best])) best = i;
  return best;
}

}  // namespace

std::vector<Slots> share_pus(const Slots& pus, const std::vector<CpuSet>& homes) {
  std::vector<Slots> shares;
  std::vector<std::size_t> load(pus.size(), 0);
  for (const auto& home : homes) {
    const std::size_t pu = least_loaded(pus, load, home);
    ++load[pu];
    shares.push_back({pus[pu]});
  }
  return shares;
}

}  // namespace muster
