// What stop= means to a run that begins when its job has already been running for some time. Pure.
#pragma once

#include "core/slurm/job.hpp"

#include <chrono>
#include <cstdint>

namespace muster::restart {

enum class StopReach : std::uint8_t {
  comes,    // while the run may still be running
  is_over,  // too little of the job is left, as for a step that copies the results of a stopped run
  never_comes  // the whole job is shorter than stop=
};

// `job`: with a time limit.
StopReach stop_reach(std::chrono::nanoseconds before, const slurm::Job& job,
                     std::chrono::system_clock::time_point now);

}  // namespace muster::restart
