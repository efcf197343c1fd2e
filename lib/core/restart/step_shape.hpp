// How many nodes and tasks a step may have, from what the user asked for. Pure.
#pragma once

#include "core/environment.hpp"
#include "core/option/value_types.hpp"
#include "core/report/record.hpp"
#include "core/restart/nodes.hpp"
#include "core/srun/command.hpp"
#include "core/srun/step_size.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace muster::restart {

// The keys that allow other numbers of nodes.
struct Elasticity {
  std::uint32_t spares = 0;                     // spares=
  std::optional<option::NodeRange> nodes = {};  // nodes=
};

struct StepShape {
  Size size;
  // For the first attempt. No value if srun's options do not determine it, or if the nodes get different
  // numbers.
  std::optional<std::uint32_t> tasks_per_node;
  bool fixed = false;      // the user chose the nodes, so no others are possible
  bool has_range = false;  // nodes= gives a range

  friend bool operator==(const StepShape&, const StepShape&) = default;
};

// What the user asked for. A number of tasks from srun's environment is the number for the whole allocation,
// including spares. The number of nodes may follow from the line's -n and --ntasks-per-node.
srun::StepSize asked_size(const srun::Command& command, const Environment& environment,
                          std::uint32_t nodes);

// The tasks of each node whose agent has reported them; no value if the nodes differ.
std::optional<std::uint32_t> equal_tasks(const report::Record& record);

// Why a step cannot have what spares= or nodes= asks for.
struct Obstacle {
  std::string_view key;  // "spares" or "nodes"
  std::string what;      // one clause; begins with the key
  std::string remedy;
};

// `nodes`: the allocation's number of nodes.
std::variant<StepShape, Obstacle> shape_or_obstacle(const Elasticity& elasticity,
                                                    const srun::StepSize& asked,
                                                    std::uint32_t nodes);

// Throws an Error of one line if there is an obstacle.
StepShape step_shape(const Elasticity& elasticity, const srun::StepSize& asked,
                     std::uint32_t nodes);

}  // namespace muster::restart
