// How groups=N divides the job's nodes. Pure.
#pragma once

#include "core/option/value_types.hpp"
#include "core/restart/step_shape.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace muster::groups {

struct Division {
  std::vector<std::vector<std::string>> groups;  // the nodes of each
  std::vector<std::string> spares;               // for all groups
  std::uint32_t tasks_per_node = 1;

  friend bool operator==(const Division&, const Division&) = default;
};

// `nodes`: the job's, in Slurm's order, in which neighbours are near each other. `shape`: the step's. Throws
// an Error of one line if they cannot be divided.
Division divide(const option::GroupRange& groups, const restart::StepShape& shape,
                std::span<const std::string> nodes);

}  // namespace muster::groups
