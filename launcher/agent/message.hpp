// A node's plan as the shim receives it: what to do before each task starts. Pure.
#pragma once

#include "launcher/agent/context.hpp"
#include "launcher/agent/planning.hpp"
#include "wire/messages.hpp"

namespace muster::agent {

wire::NodePlan message_of(const StepContext& context, const PlannedNode& node);

}  // namespace muster::agent
