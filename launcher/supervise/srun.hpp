// srun as the supervisor's child.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace muster::supervise {

// How srun ended, as from waitpid.
struct Ended {
  int wait_status = 0;
};

// Runs srun to its end. Every signal sent to this process is passed on, the terminal and job
// control work as for a bare srun, and srun ends if this process is killed. Throws Error if srun
// cannot be started.
//
// `started` is called once srun is there: threads may be created from then on.
Ended run_srun(
    const std::vector<std::string>& command, const std::function<void()>& started = [] {});

// Replaces this process by srun. Throws Error if that fails.
[[noreturn]] void become_srun(const std::vector<std::string>& command);

// Ends this process as srun ended: same code, same signal.
int end_like(const Ended& srun);

}  // namespace muster::supervise
