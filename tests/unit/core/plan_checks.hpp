// What must hold for every plan, whatever the hardware and the policy.
#pragma once

#include "core/binding/binding.hpp"

#include <string>
#include <vector>

namespace muster::test {

// One line per broken rule; empty for a sound plan.
std::vector<std::string> broken_rules(const Topology& topology, const BindingRequest& request,
                                      const BindingPlan& plan);

}  // namespace muster::test
