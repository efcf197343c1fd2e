// The programs that print a process's stacks. They are the user's choice and run as the user: each has
// a deadline, and one that hangs is killed.
#pragma once

#include "core/dump/look.hpp"
#include "core/environment.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::dump {

struct Stacks {
  std::vector<Thread> threads = {};
  std::string tool = {};
  std::string remark = {};  // why there are none
  bool hung = false;        // the tool gave no answer in time
};

// A program's path, looked for in each of these values of PATH; empty if it is in none.
std::string find_program(const std::string& name, const std::vector<std::string>& paths);

// Does not stop the process, so a stack that changes meanwhile may be inconsistent.
Stacks py_spy_stacks(const std::string& py_spy, pid_t pid, std::chrono::milliseconds timeout);

// With the frames of C and C++ between those of Python. Stops the process meanwhile.
Stacks native_py_spy_stacks(const std::string& py_spy, pid_t pid,
                            std::chrono::milliseconds timeout);

// `debugger`: the path of eu-stack or gdb. Stops the process meanwhile.
Stacks debugger_stacks(const std::string& debugger, pid_t pid, std::chrono::milliseconds timeout);

}  // namespace muster::dump
