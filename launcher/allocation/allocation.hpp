// The allocation in which the attempts' steps run, as this process finds it.
#pragma once

#include "core/environment.hpp"

#include <optional>
#include <string>
#include <vector>

namespace muster::allocation {

struct Allocation {
  std::string job;                 // its ID
  std::vector<std::string> nodes;  // in Slurm's order
  std::string batch_host;          // empty where this is no batch job's script

  friend bool operator==(const Allocation&, const Allocation&) = default;
};

// From Slurm's variables; nothing outside an allocation. Throws Error for a node list that Slurm
// cannot have written.
std::optional<Allocation> current_allocation(const Environment& environment);

}  // namespace muster::allocation
