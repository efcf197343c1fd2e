// What the kernel reports about a process, and whether its stacks may be read.
#pragma once

#include "core/dump/look.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace muster::ranks {

// Limit on the bytes of /proc/PID/maps.
inline constexpr std::size_t max_maps = std::size_t{4} << 20;

// State 'X' if it is gone. Contains no stacks.
dump::Sample process_state(const std::filesystem::path& proc, pid_t pid);

// Time since it started; 0 if unknown.
std::chrono::seconds age_of(const std::filesystem::path& proc, pid_t pid);

std::string program_name(const std::filesystem::path& proc, pid_t pid);

// Whether it runs a Python interpreter, or has loaded one as a library.
bool is_python(const std::filesystem::path& proc, pid_t pid);

// Whether it is a shell: a signal ends it at once, while the program that it has started continues.
bool is_shell(const std::filesystem::path& proc, pid_t pid);

// Whether it only starts another program and waits for it; see starter.hpp.
bool is_starter(const std::filesystem::path& proc, pid_t pid);

// Whether it handles the signal itself, or blocks it, as programs do that use signalfd() or sigwait().
bool handles(const std::filesystem::path& proc, pid_t pid, int signal);

// Whether the signal is in a mask of /proc/PID/status, such as "SigCgt".
bool is_in_mask(std::string_view status, std::string_view mask, int signal);

// The folder in which logs= keeps the rank's standard output; empty if it goes elsewhere.
std::string logs_folder(const std::filesystem::path& proc, pid_t pid, std::uint32_t rank);

// Why no process of this user may read another's stacks on this node: Yama's ptrace_scope. Empty if it may.
// `privileged`: this process has CAP_SYS_PTRACE.
std::string why_no_tracing(const std::filesystem::path& proc, bool privileged);

}  // namespace muster::ranks
