// What a child forked from slurmstepd does, with system calls only.
#pragma once

#include "spank/first_root.hpp"
#include "spank/slurm_api.hpp"
#include "spank/step_limits.hpp"

#include <string>
#include <vector>

namespace muster::spank {

// The agent finds its end of the pipe here.
inline constexpr int agent_socket = 3;

// Everything that the child needs, prepared before the fork.
struct AgentChild {
  int socket = -1;
  const Identity& identity;
  const std::vector<StepLimit>& limits;
  // The root directory in which the program is; null: this process's own.
  const FirstRoot* root = nullptr;
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  unsigned seconds_to_answer = 0;    // the kernel kills an agent that has not cancelled this alarm
  std::string kept_root_frame;       // sent instead of an answer if root's IDs remain
  std::string no_root_frame;         // sent if that root directory cannot be entered
  std::string not_executable_frame;  // sent if the program cannot start
  std::string wrong_machine_frame;   // sent if the kernel does not know the program's format
};

// Permanently drops every root ID, closes everything except the pipe, and executes the program. Never
// returns.
[[noreturn]] void become_agent(const AgentChild& child);

// Also called in a child: kills the agent with its user's permissions, so that no other user's process can be
// hit. Never returns.
[[noreturn]] void kill_as_user(pid_t agent, const Identity& identity);

}  // namespace muster::spank
