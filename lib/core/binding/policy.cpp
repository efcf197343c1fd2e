// Picks the policy by its word.
#include "core/binding/policy.hpp"

namespace muster {

Placement place(const Topology& topology, Bind policy, const Wishes& wishes) {
  switch (policy) {
    case Bind::auto_:
      return place_shares(topology, wishes);
    case Bind::none:
      return place_everywhere(wishes);
    case Bind::core:
      return place_one_core(topology, wishes);
    case Bind::l3:
      return place_l3(topology, wishes);
    case Bind::numa:
      return place_numa(topology, wishes);
    case Bind::socket:
      return place_socket(topology, wishes);
    case Bind::exclusive:
      return place_exclusive(topology, wishes);
  }
  return place_shares(topology, wishes);
}

Placement place_everywhere(const Wishes& wishes) {
  return {std::vector<CpuSet>(wishes.homes.size(), wishes.allowed), {}};
}

}  // namespace muster
