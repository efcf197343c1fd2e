// A node as lstopo can draw it: hwloc's XML in which every part already has its colour and words.
#pragma once

#include "core/topology/topology.hpp"

#include <string>

namespace muster {

struct NodePlan;

struct Drawing {
  std::string xml;
  // A core's threads differ in who has them, so they are drawn each; else one box is a core.
  bool threads = false;

  friend bool operator==(const Drawing&, const Drawing&) = default;
};

// Of this node with the plan's ranks on it. Made from the plain Topology and not from hwloc's, so
// that a picture shows what binding knew, wherever that came from.
Drawing draw(const Topology& topology, const NodePlan& plan);

}  // namespace muster
