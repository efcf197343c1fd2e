// What the kernel says of the other end of the agent's pipe, which slurmstepd holds.
#pragma once

#include "wire/frames.hpp"

#include <functional>

#include <sys/types.h>

namespace muster::agent {

// The process that made the pipe; 0 where that is not known.
pid_t peer_of(int pipe);

// All messages that wait, and the first one where none does yet: tasks end together. False at the end
// of the pipe.
bool take_waiting(int pipe, const std::function<void(const wire::Received&)>& take);

// Nobody holds the other end any more. False where it has only said that no more comes.
bool is_gone(int pipe);

}  // namespace muster::agent
