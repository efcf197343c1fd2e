// Turns a wait status, as waitpid and Slurm give it, into words or a shell's exit code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace muster::report {

// Slurm's number for "the kernel killed a process of this step because of memory", in place of a signal's
// number. sacct shows it as 0:125.
inline constexpr int slurms_memory_signal = 125;

// No value if a signal ended the process.
std::optional<int> exit_code(std::int32_t wait_status);

// No value if the process exited.
std::optional<int> end_signal(std::int32_t wait_status);

bool has_core_file(std::int32_t wait_status);

// The exit code, or 128 + the signal's number.
int shell_code(std::int32_t wait_status);

// The signal n of an exit code 128 + n, with which shells and wrappers end after a signal has killed their
// child. No value for any other code.
std::optional<int> signal_behind(int code);

// A signal by which one process ends another, such as SIGTERM or SIGUSR1, also as a shell's exit code. No
// value if the process ended otherwise, or by its own fault.
std::optional<int> sent_signal(std::int32_t wait_status);

// "SIGSEGV", "SIGRTMIN+3", "signal 125".
std::string signal_name(int number);

// "exit code 1", "SIGSEGV (segmentation fault), core dumped".
std::string in_words(std::int32_t wait_status);

}  // namespace muster::report
