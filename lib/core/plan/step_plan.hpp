// The plan of a whole step, which `muster plan`, explain and dry-run show. It consists of the nodes' plans,
// which come from the agents or are computed offline.
#pragma once

#include "core/plan/drawing.hpp"
#include "core/plan/node_plan.hpp"
#include "core/rendezvous/rendezvous.hpp"

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
  std::vector<NodePlan> nodes;                   // in no particular order
  std::map<std::string, Drawing> drawings = {};  // the nodes to draw, by name
  std::string logs = {};                         // the directory on rank 0's node; empty: none
  // Nodes without ranks that are kept ready, in the order in which they replace lost ones.
  std::vector<std::string> spares = {};
};

// A rank and its node; pointers into the plan.
struct PlannedRank {
  const NodePlan* node;
  const TaskPlan* task;
};
std::vector<PlannedRank> by_rank(const StepPlan& plan);

// The node of task 0, where the ranks meet; empty if the plan does not contain it.
std::string meeting_node(const StepPlan& plan);

// One node's plan as text, to be sent to the process that shows it.
std::string to_text(const NodePlan& plan, const rendezvous::Rendezvous& rendezvous,
                    std::string_view profile, const std::optional<Drawing>& drawing = {});

// Joins the nodes' plans, ordered by node rank. Throws Error for text that to_text cannot have written.
StepPlan step_plan_from_texts(const std::vector<std::string>& texts);
}  // namespace muster::plan
