// Where Slurm has put ranks that never said so themselves. For messages only. Pure.
#pragma once

#include "worker/environment.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace muster::worker::tcp {

// The names of a list such as "node[01-03,7],login"; empty for one that is not understood, or has
// more than `most` names.
std::vector<std::string> expand_nodes(std::string_view list, std::size_t most);

// What of Slurm's variables says where a rank is.
struct StepNodes {
  std::string nodes;
  std::string tasks_per_node;

  // By rank; empty where Slurm's variables do not tell.
  std::vector<std::string> by_rank(std::size_t ranks) const;
};

// Nothing unless tasks fill one node after the other: only then all numberings are the same.
StepNodes step_nodes(const Environment& environment);

}  // namespace muster::worker::tcp
