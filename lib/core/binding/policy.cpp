// Picks the policy by its word.
#include "core/binding/policy.hpp"

namespace muster {

CpuBinding bind_tasks(const Topology& topology, Bind policy, const Localities& localities) {
  switch (policy) {
    case Bind::auto_:
      return bind_shares(topology, localities);
    case Bind::none:
      return bind_everywhere(localities);
    case Bind::core:
      return bind_one_core(topology, localities);
    case Bind::l3:
      return bind_l3(topology, localities);
    case Bind::numa:
      return bind_numa(topology, localities);
    case Bind::socket:
      return bind_socket(topology, localities);
    case Bind::exclusive:
      return bind_exclusive(topology, localities);
  }
  return bind_shares(topology, localities);
}

CpuBinding bind_everywhere(const Localities& localities) {
  return {std::vector<CpuSet>(localities.of_task.size(), localities.allowed), {}};
}

}  // namespace muster
