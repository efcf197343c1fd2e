// What a command prints, within a bound of time and size.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace muster::os {

// Both streams of a command that is looked up on PATH, at most 64 KiB of them: what it has printed
// by the deadline, when it is killed. Empty where it cannot be started. Signals that this process
// blocks reach the command.
std::string command_output(const std::vector<std::string>& command,
                           std::chrono::milliseconds timeout);

}  // namespace muster::os
