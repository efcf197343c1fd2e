// Whether slurmctld answers. It may be restarted at any time; a job's steps keep running without it.
#pragma once

#include <chrono>

namespace muster::slurm {

// Calls scontrol once. `interrupt`: a descriptor that ends the wait once it is readable, or -1.
bool controller_answers(std::chrono::milliseconds timeout, int interrupt = -1);

// Waits up to ten minutes for a slurmctld that is restarting or busy, and tells the user. Returns whether it
// answers.
bool await_controller(int interrupt = -1);

}  // namespace muster::slurm
