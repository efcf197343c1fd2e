// By which ways the Python stacks of a process are read, and in which order. Pure.
#pragma once

#include <cstdint>
#include <vector>

namespace muster::dump {

enum class Way : std::uint8_t {
  package,  // the thread of muster's package inside the process writes them
  py_spy,   // read from outside
  signal    // faulthandler writes the main thread's at a signal
};

enum class SignalUse : std::uint8_t {
  careful,  // as the last way, and not while the main thread computes
  hung,     // as the last way; the step is known to stand still
  only      // the user wants this way and no other
};

struct PythonProcess {
  char state = '?';      // of its main thread, as in /proc
  bool answers = false;  // it has the package's thread
  bool py_spy = false;   // py-spy is there and may read it
  SignalUse signal = SignalUse::careful;
};

// The package's thread comes first: it holds the GIL while it writes, so the stacks are of one moment, and
// no frame is read while it changes; it interrupts no system call and needs no permission to trace. Writing
// takes 0.3 ms for one thread and 19 ms for 41. It cannot answer while C code holds the GIL. py-spy needs
// nothing of the program but the right to trace, and reads while the program runs, so a stack may be a
// mixture. The signal is last: although faulthandler registers it with SA_RESTART, a poll, a select, an
// epoll_wait or a nanosleep in the program's C code ends early with EINTR (signal(7)). Its handler runs
// without the GIL, between any two instructions of the main thread: Python 3.9 was seen to crash when that
// thread computed, so the signal is sent only while it is in a system call.
std::vector<Way> ways_to_stacks(const PythonProcess& process);

}  // namespace muster::dump
