// The few steps between fork in slurmstepd and exec of the agent.
#pragma once

#include "slurm_api.hpp"

namespace muster::spank {

inline constexpr int kAgentKeptRoot = 126;
inline constexpr int kAgentNotExecutable = 127;

/// The agent finds its end of the pipe here.
inline constexpr int kAgentSocket = 3;

/// Drops every root id for good, closes all but the pipe, executes. Never returns.
[[noreturn]] void become_agent(int socket, const Identity& identity, char* const* arguments,
                               char* const* environment);

}  // namespace muster::spank
