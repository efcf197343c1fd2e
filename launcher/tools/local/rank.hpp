// A rank's process, from the fork to the user's program.
#pragma once

#include "wire/messages.hpp"

#include <csignal>
#include <cstddef>
#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::local {

class Agent;

struct RankStart {
  const wire::NodePlan& plan;
  std::size_t local_id = 0;
  const std::vector<std::string>& command;
  const Agent& agent;
  int gate = -1;       // when its other end is closed, the rank starts
  pid_t starter = -1;  // the process with which it ends
  sigset_t mask{};     // the user's signal mask
};

// Called in the forked child.
[[noreturn]] void become_rank(const RankStart& start);

}  // namespace muster::local
