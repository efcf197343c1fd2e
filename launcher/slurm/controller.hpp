// Whether slurmctld answers. It may be started again at any time, and a job's steps run on without it.
#pragma once

#include <chrono>

namespace muster::slurm {

// One call of scontrol. `interrupt`: a descriptor that ends the wait once it is readable, or -1.
bool controller_answers(std::chrono::milliseconds timeout, int interrupt = -1);

// Waits for one that is started again or has much to do, for ten minutes at most, and says so. Whether it
// answers.
bool await_controller(int interrupt = -1);

}  // namespace muster::slurm
