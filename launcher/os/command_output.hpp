// What a command prints, limited in time and size.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace muster::os {

struct CommandBounds {
  std::chrono::milliseconds timeout;
  std::size_t max_bytes = 65536;
  // At the deadline, the time between SIGTERM and SIGKILL: for a command that has something to undo.
  std::chrono::milliseconds exit_timeout{0};
  // A descriptor: when it becomes readable, the command's time is over. -1: no such limit.
  int interrupt = -1;
  // At the deadline, also kills everything that the command has started: it runs in its own process group.
  bool whole_group = false;
  // "NAME=VALUE"; nullptr: this process's environment.
  const std::vector<std::string>* environment = nullptr;
};

struct CommandResult {
  std::string output;      // both streams
  bool succeeded = false;  // it ended by itself, in time, with exit code 0
  bool in_time = false;    // it closed its streams in time
};

// Runs a command that is looked up on PATH. It is killed at the deadline, or when it has printed more than
// the limit. Signals that this process blocks reach the command.
CommandResult run_command(const std::vector<std::string>& command, const CommandBounds& bounds);

// Both output streams of a command that is looked up on PATH, up to 64 KiB: what it has printed by the
// deadline. Empty if it cannot be started.
std::string command_output(const std::vector<std::string>& command,
                           std::chrono::milliseconds timeout);

}  // namespace muster::os
