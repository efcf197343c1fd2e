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

// Runs srun to its end: every signal sent to this process is passed on, terminal and job control
// work as for a bare srun, and srun ends when this process is killed. Throws Error when it cannot
// be started.
//
// `started` is called once srun is there: whoever needs a thread begins it then.
Ended run_srun(
    const std::vector<std::string>& command, const std::function<void()>& started = [] {});

// Replaces this process by srun. Throws Error when that fails.
[[noreturn]] void become_srun(const std::vector<std::string>& command);

// Leaves this process the way srun left: same code, same signal.
int end_like(const Ended& srun);

}  // namespace muster::supervise
