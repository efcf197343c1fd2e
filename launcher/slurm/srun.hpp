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

// What the thread that waits for srun does in the meantime. All are optional.
struct SrunHooks {
  // srun has been started: this process may create threads from now on.
  std::function<void()> started = [] {};
  // A descriptor that becomes readable when act() has something to do; act() empties it.
  int wakes = -1;
  // When act() has something to do even if `wakes` is not readable.
  std::function<std::optional<std::chrono::steady_clock::time_point>()> next = [] {
    return std::nullopt;
  };
  // May send a signal to srun.
  std::function<void(pid_t srun)> act = [](pid_t) {};
  // This process is about to be suspended, as srun has been: Ctrl-Z.
  std::function<void()> stopping = [] {};
  // This process received a signal. Returns true if srun need not get it.
  std::function<bool(int signal)> takes = [](int) { return false; };
  // The terminal sent SIGINT to srun.
  std::function<void()> interrupted = [] {};
  // srun's signal mask; by default this process's, which may block more than srun should.
  std::optional<sigset_t> mask = {};
  // Without Slurm: what the child runs instead of srun; it exits with the code returned. It stays in the
  // background, so that the terminal's signals reach this process.
  std::function<int()> become = {};
};

// Runs srun to its end. Passes on every signal sent to this process, and lets the terminal and job control
// work as with plain srun. srun ends if this process is killed. Throws Error if srun cannot be started.
Ended run_srun(const std::vector<std::string>& command, const SrunHooks& hooks = {});

// Replaces this process by srun. Throws Error if that fails.
[[noreturn]] void become_srun(const std::vector<std::string>& command);

// Ends this process as srun ended: with the same code or the same signal.
int end_like(const Ended& srun);

}  // namespace muster::slurm
