// Starting other programs from inside Slurm's processes.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace muster::spank {

// This process's command line, from the kernel: hooks are not handed argv.
std::vector<std::string> own_arguments();

// This process's environment as it was when it started.
std::vector<std::string> initial_environment();

// Replaces this process; returns only when that failed, errno set.
void execute(const std::vector<std::string>& command, const std::vector<std::string>& environment);

// Runs a program to its end with this process's environment and descriptors. Returns its exit code
// (128+N after signal N), or nothing when it could not start or outlived its deadline, and was
// killed.
std::optional<int> run(const std::vector<std::string>& command, std::chrono::seconds deadline);

// For execve: pointers into `words`, a null at the end.
std::vector<char*> pointers(const std::vector<std::string>& words);

// waitpid with a deadline; nothing when the child still runs (or is not ours any more).
std::optional<int> wait_for_child(pid_t child, std::chrono::milliseconds deadline);

}  // namespace muster::spank
