// Draws a node with its ranks as hwloc XML in which every part already has its colour and text.
#pragma once

#include "core/plan/drawing.hpp"
#include "core/plan/node_plan.hpp"

namespace muster::topology {
struct Topology;
}

namespace muster::picture {

// Draws this node with the plan's ranks. Uses muster's Topology rather than hwloc's, so that the picture
// shows what the binding was based on, whatever its source.
plan::Drawing draw(const topology::Topology& topology, const plan::NodePlan& plan);

}  // namespace muster::picture
