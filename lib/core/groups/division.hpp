// How groups=N divides the job's nodes, or their tasks if there are more groups than nodes. Pure.
#pragma once

#include "core/option/value_types.hpp"
#include "core/restart/step_shape.hpp"
#include "core/srun/step_size.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace muster::groups {

struct OwnNodes {
  std::vector<std::string> nodes;
  std::uint32_t tasks_per_node = 1;

  friend bool operator==(const OwnNodes&, const OwnNodes&) = default;
};

struct Division {
  std::vector<OwnNodes> groups;
  std::vector<std::string> spares;    // for all groups
  std::uint32_t groups_per_node = 1;  // more than 1: each group has a part of one node

  friend bool operator==(const Division&, const Division&) = default;
};

// `nodes`: the job's, in Slurm's order, in which neighbours are near each other. `shape`: the step's. Throws
// an Error of one line if they cannot be divided.
Division divide(const option::GroupRange& groups, const restart::StepShape& shape,
                std::span<const std::string> nodes);

// A group for each program. `programs`: the size of the step that each asks for.
Division divide(const option::GroupRange& groups, std::span<const srun::StepSize> programs,
                std::uint32_t spares, std::span<const std::string> nodes);

}  // namespace muster::groups
