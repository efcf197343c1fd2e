// Whether a task's program was started with the variables that muster had set for it. Plugins whose lines
// follow muster's in plugstack.conf, and task prologs, may replace them. Pure: compares the plan with a
// process's environment.
//
// Only variables that identify a rank or lead to the rendezvous count, because a program's own script may set
// all others.
#pragma once

#include "core/environment.hpp"
#include "core/plan/node_plan.hpp"
#include "core/rendezvous/rendezvous.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::task_watch {

class EnvironmentChanges {
 public:
  EnvironmentChanges(const plan::NodePlan& plan, const rendezvous::Rendezvous& place);

  [[nodiscard]] std::size_t tasks() const { return tasks_.size(); }

  // The variable that another program has replaced or removed; empty: none. The variable by which ranks
  // rendezvous comes first, because it is the same on all nodes.
  [[nodiscard]] std::string_view replaced(std::uint32_t local_id, const Environment& seen) const;

 private:
  struct Variable {
    std::string name;
    std::string value;
  };
  std::vector<std::vector<Variable>> tasks_;  // by local task ID
};

// The line for the user; the same on every node.
std::string replaced_line(std::string_view variable);

}  // namespace muster::task_watch
