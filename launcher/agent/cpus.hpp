// What each local task may run on.
#pragma once

#include "core/plan.hpp"
#include "core/request.hpp"
#include "core/wire/messages.hpp"

#include <string>
#include <vector>

namespace muster::agent {

struct NodeCpus {
  std::vector<TaskCpus> tasks;  // by local task id
  std::vector<std::string> warnings;
};

// `user_bound`: the user chose --cpu-bind, which then stays as it is.
NodeCpus bind_tasks(const Request& request, const wire::StepFacts& facts, bool user_bound);

}  // namespace muster::agent
