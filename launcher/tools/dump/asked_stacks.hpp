// The main thread's stack of a Python process that prints it itself: muster's Python package has registered
// faulthandler for a dedicated signal, with a memory file. That needs no permission to trace, and no GIL. The
// signal cuts short a sleep or a poll in the program's C code.
#pragma once

#include "launcher/tools/dump/tools.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>

#include <sys/types.h>

namespace muster::dump {

// The signal's number, from a link among a process's descriptors: "/memfd:muster-stacks-60 (deleted)".
std::optional<int> stacks_signal(std::string_view link);

// Whether the process has a handler for that signal that its main thread can run now, from its
// /proc/PID/status.
bool catches(std::string_view status, int signal);

// Whether the process is prepared, whatever its main thread does now.
bool has_stacks_file(pid_t pid);

// Sends the signal once and reads the stack. Never sends it to a process that is not prepared for it; the
// remark then says so.
Stacks asked_stacks(pid_t pid, std::chrono::milliseconds timeout);

}  // namespace muster::dump
