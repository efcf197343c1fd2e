// srun as the supervisor's child.
#pragma once

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::slurm {

// How srun ended, as from waitpid.
struct Ended {
  int wait_status = 0;
};

// What else is done while srun runs, by the thread that waits for it. All are optional.
struct SrunHooks {
  // srun is there: threads may be created from now on.
  std::function<void()> started = [] {};
  // A descriptor that becomes readable when act() has something to do; act() empties it.
  int wakes = -1;
  // When act() has something to do even so.
  std::function<std::optional<std::chrono::steady_clock::time_point>()> next = [] {
    return std::nullopt;
  };
  // May send srun a signal.
  std::function<void(pid_t srun)> act = [](pid_t) {};
  // This process is about to stop, as srun has: Ctrl-Z.
  std::function<void()> stopping = [] {};
  // A signal has come to this process: true if it needs not be passed on to srun.
  std::function<bool(int signal)> takes = [](int) { return false; };
  // srun's signal mask, where this process holds more back than srun is to; else this process's own.
  std::optional<sigset_t> mask = {};
  // Without Slurm: what the child does in place of becoming srun; it ends with that code. It stays in the
  // background, so that the terminal's signals come to this process.
  std::function<int()> become = {};
};

// Runs srun to its end. Every signal sent to this process is passed on, the terminal and job
// control work as for a bare srun, and srun ends if this process is killed. Throws Error if srun
// cannot be started.
Ended run_srun(const std::vector<std::string>& command, const SrunHooks& hooks = {});

// Replaces this process by srun. Throws Error if that fails.
[[noreturn]] void become_srun(const std::vector<std::string>& command);

// Ends this process as srun ended: same code, same signal.
int end_like(const Ended& srun);

}  // namespace muster::slurm
