// The few steps between fork in slurmstepd and exec of the agent.
#pragma once

#include "spank/slurm_api.hpp"

#include <string>

namespace muster::spank {

// The agent finds its end of the pipe here.
inline constexpr int agent_socket = 3;

// Everything the child needs, made before the fork.
struct AgentChild {
  int socket = -1;
  const Identity& identity;
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  unsigned seconds_to_answer = 0;  // after which the kernel ends an agent that has not cancelled it
  std::string kept_root_frame;     // sent instead of an answer when root's ids would not go
  std::string not_executable_frame;  // when the program would not start
};

// Drops every root id for good, closes all but the pipe, executes. Never returns.
[[noreturn]] void become_agent(const AgentChild& child);

}  // namespace muster::spank
