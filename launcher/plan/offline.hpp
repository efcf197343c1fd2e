// A step's plan without a step: from a described layout and one topology for every node.
#pragma once

#include "core/explain/step_plan.hpp"
#include "core/layout.hpp"
#include "core/profile.hpp"
#include "core/request.hpp"
#include "core/topology/topology.hpp"
#include "site.hpp"

#include <optional>
#include <string>

namespace muster::plan {

struct OfflineFacts {
  const Site& site;
  const Request& request;
  Layout layout;
  Topology topology;                  // of every node
  std::optional<std::string> gpus;    // the step's: vendor indexes or bus ids; all by default
  std::optional<std::string> cpuset;  // the step's CPUs; all by default
};

// The same core as the agents', with what only a real step has (address, port, interfaces) as far
// as it can be known; a warning says so. Throws Error.
StepPlan offline_plan(const OfflineFacts& facts);

}  // namespace muster::plan
