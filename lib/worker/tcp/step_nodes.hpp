// The nodes of ranks that have never connected, as Slurm placed them. For messages only. Pure.
#pragma once

#include "worker/environment.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace muster::worker::tcp {

// The names in a list such as "node[01-03,7],login"; empty if the list is not understood or has more than
// `max` names.
std::vector<std::string> expand_nodes(std::string_view list, std::size_t max);

// Slurm's variables that say where a rank runs.
struct StepNodes {
  std::string nodes;
  std::string tasks_per_node;

  // Indexed by rank; empty if Slurm's variables do not say.
  std::vector<std::string> by_rank(std::size_t ranks) const;
};

// Empty unless tasks fill one node after another: only then are all numberings the same.
StepNodes step_nodes(const Environment& environment);

}  // namespace muster::worker::tcp
