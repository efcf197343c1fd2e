// What the kernel knows about the other end of the agent's pipe, which slurmstepd holds.
#pragma once

#include "wire/frames.hpp"

#include <functional>

#include <sys/types.h>

namespace muster::agent {

// The process that made the pipe; 0 if that is unknown.
pid_t peer_of(int pipe);

// Takes all waiting messages, because tasks often end together; if none is waiting, waits for one. False at
// the end of the pipe.
bool take_waiting(int pipe, const std::function<void(const wire::Received&)>& take);

// Whether no process holds the other end any more. False if the other end has merely announced that it will
// send nothing more.
bool is_gone(int pipe);

}  // namespace muster::agent
