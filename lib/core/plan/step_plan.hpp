// The plan of a whole step, as it is shown: by `muster plan`, by explain and dry-run.
// Made from the nodes' plans, which come from the agents or were computed offline.
#pragma once

#include "core/plan/drawing.hpp"
#include "core/plan/plan.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::plan {

struct StepPlan {
  std::string profile;
  rendezvous::Rendezvous rendezvous;
  std::vector<NodePlan> nodes;                   // in any order
  std::map<std::string, Drawing> drawings = {};  // of nodes that somebody wants to see, by name
};

// A rank with its node; pointers into the plan.
struct PlannedRank {
  const NodePlan* node;
  const TaskPlan* task;
};
std::vector<PlannedRank> by_rank(const StepPlan& plan);

// The node of task 0, where the ranks meet; empty where it is not among the nodes.
std::string meeting_node(const StepPlan& plan);

// One node's plan on its way to whoever shows it.
std::string to_text(const NodePlan& plan, const rendezvous::Rendezvous& rendezvous,
                    std::string_view profile, const std::optional<Drawing>& drawing = {});

// Puts the pieces together, ordered by node rank. Error for anything that to_text cannot have
// written.
StepPlan step_plan_from_texts(const std::vector<std::string>& texts);
}  // namespace muster::plan
