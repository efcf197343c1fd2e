// Selects the policy by its word.
#include "core/binding/policy.hpp"

#include "core/topology/topology.hpp"

namespace muster::binding {

CpuBinding bind_tasks(const topology::Topology& topology, option::Bind policy,
                      const Localities& localities) {
  switch (policy) {
    case option::Bind::auto_:
      return bind_shares(topology, localities);
    case option::Bind::none:
      return bind_everywhere(localities);
    case option::Bind::core:
      return bind_one_core(topology, localities);
    case option::Bind::l3:
      return bind_l3(topology, localities);
    case option::Bind::numa:
      return bind_numa(topology, localities);
    case option::Bind::socket:
      return bind_socket(topology, localities);
    case option::Bind::exclusive:
      return bind_exclusive(topology, localities);
  }
  return bind_shares(topology, localities);
}

CpuBinding bind_everywhere(const Localities& localities) {
  return {std::vector<CpuSet>(localities.of_task.size(), localities.allowed), {}};
}

}  // namespace muster::binding
