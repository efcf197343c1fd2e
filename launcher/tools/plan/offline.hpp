// Makes a step's plan without a step: from a described layout and one topology for every node.
#pragma once

#include "core/layout/layout.hpp"
#include "core/topology/topology.hpp"

#include <optional>
#include <string>

namespace muster::request {
struct Request;
}

namespace muster::site {
class Site;
}

namespace muster::plan {

struct StepPlan;

struct OfflineFacts {
  const site::Site& site;
  const request::Request& request;
  layout::Layout layout;
  topology::Topology topology;        // the same for every node
  std::optional<std::string> gpus;    // the step's: vendor indexes or bus ids; all by default
  std::optional<std::string> cpuset;  // the step's CPUs; all by default
};

// Uses the agents' own planning. What only a real step has (address, port, interfaces) is filled in as far
// as it can be known; a warning says so. Throws Error.
StepPlan offline_plan(const OfflineFacts& facts);

}  // namespace muster::plan
