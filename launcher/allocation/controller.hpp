// Whether slurmctld answers. It may be started again at any time, and a job's steps run on without it.
#pragma once

#include <chrono>

namespace muster::allocation {

// One call of scontrol.
bool controller_answers(std::chrono::milliseconds timeout);

// Waits for one that is started again or has much to do, for ten minutes at most, and says so. Whether it
// answers.
bool await_controller();

}  // namespace muster::allocation
