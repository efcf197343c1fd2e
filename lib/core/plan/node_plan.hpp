// The node plan: the environment and CPUs of every task on one node.
#pragma once

#include "core/env_var.hpp"
#include "core/resources/task_resources.hpp"
#include "wire/messages.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::plan {

struct TaskPlan {
  std::uint32_t procid = 0;  // Slurm's number within the step
  std::uint32_t rank = 0;
  std::uint32_t local_rank = 0;
  std::uint32_t index = 0;  // Slurm's local task ID, counting only tasks that this agent plans
  std::vector<EnvVar> variables;
  resources::TaskResources resources;
  std::string output = {};  // the files of logs=; empty: Slurm's streams
  std::string error = {};
};

struct NodePlan {
  std::string node;
  std::uint32_t node_rank = 0;
  std::vector<TaskPlan> tasks;  // by local task ID
  std::vector<std::string> warnings;
  std::string logs = {};  // the directory of this attempt's files; empty: none
};

// The variables that every task of the node has in common, in the first task's order.
std::vector<EnvVar> shared_variables(const NodePlan& plan);

// The part of the plan that the shim needs: only what differs from the job's environment.
wire::NodePlan to_wire(const NodePlan& plan);

}  // namespace muster::plan
