// Draws a node with its ranks: hwloc's XML in which every part already has its colour and text.
#pragma once

#include "core/plan/drawing.hpp"
#include "core/plan/plan.hpp"
#include "core/topology/topology.hpp"

namespace muster::picture {

// Of this node with the plan's ranks on it. Made from the plain Topology and not from hwloc's, so
// that a picture shows what binding knew, wherever that came from.
plan::Drawing draw(const topology::Topology& topology, const plan::NodePlan& plan);

}  // namespace muster::picture
