// Why a plan does not name the interface that reaches the rendezvous.
#pragma once

#include "core/plan/node_plan.hpp"

#include <string>

namespace muster::profile {
struct Profile;
}

namespace muster::plan {

struct NodeNetwork;

// Empty if it does, or if the profile has no such variable. The text names no node, so that the same text of
// many nodes is shown once.
std::string network_remark(const NodePlan& plan, const NodeNetwork& network,
                           const profile::Profile& profile);

}  // namespace muster::plan
