// The Python stacks of a process, by the first way that gives them. core/dump/ways.hpp says which ways there
// are, and why in this order.
#pragma once

#include "core/dump/ways.hpp"
#include "launcher/agent/ranks/recorder_door.hpp"
#include "launcher/tools/dump/tools.hpp"

#include <atomic>
#include <chrono>
#include <string>
#include <utility>

#include <sys/types.h>

namespace muster::dump {

// How long a process may take to answer. A thread gets the GIL within 5 ms unless C code holds it.
inline constexpr std::chrono::milliseconds package_timeout{500};

// One for a whole node; several threads may use it at once.
class PythonStacks {
 public:
  using Clock = std::chrono::steady_clock;

  // `py_spy`: its path; empty if there is none, or if it may not read the processes.
  PythonStacks(std::string py_spy, SignalUse signal, std::chrono::milliseconds tool_timeout)
      : py_spy_(std::move(py_spy)), signal_(signal), tool_timeout_(tool_timeout) {}

  // `state`: of the main thread, as in /proc. `door`: null, or one whose ask_stacks() was called at `asked`.
  // The remark says which ways failed, also where a later one gave stacks.
  Stacks of(pid_t pid, char state, ranks::RecorderDoor* door, Clock::time_point asked);

 private:
  Stacks by(Way way, pid_t pid, ranks::RecorderDoor* door, Clock::time_point asked);
  Stacks by_py_spy(pid_t pid);

  std::string py_spy_;
  SignalUse signal_;
  std::chrono::milliseconds tool_timeout_;
  std::atomic<bool> py_spy_hung_ = false;
};

}  // namespace muster::dump
