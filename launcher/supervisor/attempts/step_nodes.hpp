// How many nodes and tasks an attempt's step has, from what the user asked for. Pure.
#pragma once

#include "core/environment.hpp"
#include "core/report/record.hpp"
#include "core/request/request.hpp"
#include "core/restart/nodes.hpp"
#include "core/srun/command.hpp"
#include "core/srun/step_size.hpp"

#include <cstdint>
#include <optional>

namespace muster::attempts {

struct StepShape {
  restart::Size size;
  // Of the first attempt; nothing where the user's words do not tell, or the nodes get unequal ones.
  std::optional<std::uint32_t> tasks_per_node;
  bool fixed = false;  // the user has chosen the nodes themselves: no others are possible

  friend bool operator==(const StepShape&, const StepShape&) = default;
};

// What the user asked for. Tasks that were not typed are those of the whole allocation, spares included.
srun::StepSize asked_size(const srun::Command& command, const Environment& environment,
                          std::uint32_t nodes);

// Of every node whose agent has said so; nothing where they differ.
std::optional<std::uint32_t> equal_tasks(const report::Record& record);

// `nodes`: of the allocation. Throws Error, one line, where spares= and nodes= cannot be had.
StepShape step_shape(const request::Request& request, const srun::StepSize& asked,
                     std::uint32_t nodes);

}  // namespace muster::attempts
