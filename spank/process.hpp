// Starts other programs from inside Slurm's processes.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace muster::spank {

// The command line of this process, from the kernel: hooks do not receive argv.
std::vector<std::string> own_arguments();

// The path of the program that this process runs; empty if unknown.
std::string own_executable();

// The environment with which this process was started.
std::vector<std::string> initial_environment();

// Replaces this process. Returns only on failure, with errno set.
void execute(const std::vector<std::string>& command, const std::vector<std::string>& environment);

// Runs a program to its end with this process's environment and descriptors. Returns its exit code (128+N
// after signal N). No value if it could not start, or if it exceeded its deadline and was killed.
std::optional<int> run(const std::vector<std::string>& command, std::chrono::seconds deadline);

// For execve: pointers into `words`, followed by a null pointer.
std::vector<char*> pointers(const std::vector<std::string>& words);

// waitpid with a deadline; no value if the child is still running (or is no longer this process's child).
std::optional<int> wait_for_child(pid_t child, std::chrono::milliseconds deadline);

}  // namespace muster::spank
