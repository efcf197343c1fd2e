// What the kernel says of a process, and whether its stacks may be read.
#pragma once

#include "core/dump/look.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include <sys/types.h>

namespace muster::ranks {

inline constexpr std::size_t max_maps = std::size_t{4} << 20;  // bytes of /proc/PID/maps

// State 'X' where it has gone. Without stacks.
dump::Sample process_state(const std::filesystem::path& proc, pid_t pid);

// Since it began; 0 where that is not known.
std::chrono::seconds age_of(const std::filesystem::path& proc, pid_t pid);

std::string program_name(const std::filesystem::path& proc, pid_t pid);

// It runs a Python interpreter, or has one as a library.
bool is_python(const std::filesystem::path& proc, pid_t pid);

// The folder in which logs= keeps the rank's standard output; empty where that goes elsewhere.
std::string logs_folder(const std::filesystem::path& proc, pid_t pid, std::uint32_t rank);

// Why no process of this user may read another's stacks on this node: Yama's ptrace_scope. Empty where
// it may. `privileged`: this process has CAP_SYS_PTRACE.
std::string why_no_tracing(const std::filesystem::path& proc, bool privileged);

}  // namespace muster::ranks
