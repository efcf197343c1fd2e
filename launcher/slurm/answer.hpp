// Checks between two attempts whether nodes answer.
#pragma once

#include "core/slurm/node.hpp"

#include <chrono>
#include <span>
#include <vector>

namespace muster::slurm {

// For each node, whether its slurmd accepts a connection. Asks all nodes at the same time, within `timeout`.
// A slurmd that answers writes two lines to its log about a peer that said nothing, so ask only about nodes
// that were lost. `nodes` must include ports.
std::vector<bool> answer(std::span<const Node> nodes, std::chrono::milliseconds timeout);

}  // namespace muster::slurm
