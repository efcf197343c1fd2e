// The stacks of a Python process that prints them itself: muster's Python package has registered
// faulthandler for a signal of its own, with a file in memory. Needs no right to trace. The signal ends
// a sleep or a poll of the program early.
#pragma once

#include "launcher/tools/dump/tools.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>

#include <sys/types.h>

namespace muster::dump {

// In a process's list of descriptors: "/memfd:muster-stacks-60 (deleted)". The signal's number.
std::optional<int> stacks_signal(std::string_view link);

// /proc/PID/status: the process has a handler for that signal, and does not ignore it.
bool catches(std::string_view status, int signal);

// Sends the signal once, and reads what comes of it. Nothing is sent to a process that is not prepared
// for it: a remark then says so.
Stacks asked_stacks(pid_t pid, std::chrono::milliseconds timeout);

}  // namespace muster::dump
