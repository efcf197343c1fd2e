// The programs that print a process's stacks. The user chooses them and they run as the user: each has a
// deadline, and is killed if it hangs.
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
  std::string remark = {};  // why there are no stacks
  bool hung = false;        // the tool did not answer in time
};

// A program's path, searched for in each of these PATH values; empty if it is in none.
std::string find_program(const std::string& name, const std::vector<std::string>& paths);

// Does not pause the process, so a stack that changes in the meantime may be inconsistent.
Stacks py_spy_stacks(const std::string& py_spy, pid_t pid, std::chrono::milliseconds timeout);

// Includes the C/C++ frames between those of Python. Pauses the process.
Stacks native_py_spy_stacks(const std::string& py_spy, pid_t pid,
                            std::chrono::milliseconds timeout);

// `debugger`: the path of eu-stack or gdb. Pauses the process.
Stacks debugger_stacks(const std::string& debugger, pid_t pid, std::chrono::milliseconds timeout);

}  // namespace muster::dump
