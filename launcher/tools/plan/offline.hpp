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
  std::optional<std::string> gpus;    // the step's: vendor indexes or bus IDs; by default all
  std::optional<std::string> cpuset;  // the step's CPUs; by default all
};

// Uses the agents' own planning. Values that only a real step has (address, port, interfaces) are filled in
// as far as they can be known, with a warning. Throws Error.
StepPlan offline_plan(const OfflineFacts& facts);

}  // namespace muster::plan
