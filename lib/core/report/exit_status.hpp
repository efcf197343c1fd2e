// A wait status, as waitpid and Slurm have it, in words and as a shell's exit code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace muster::report {

// Slurm's number for "the kernel killed a process of this step for memory", where a signal's would
// be: sacct shows it as 0:125.
inline constexpr int slurms_memory_signal = 125;

// None where a signal ended the process.
std::optional<int> exit_code(std::int32_t wait_status);

// None where the process exited.
std::optional<int> end_signal(std::int32_t wait_status);

bool has_core_file(std::int32_t wait_status);

// The exit code, or 128 + the signal's number.
int shell_code(std::int32_t wait_status);

// The signal behind an exit code of 128 + n, as shells and wrappers end after a child that a signal
// has killed; none for any other code.
std::optional<int> signal_behind(int code);

// A signal by which one process ends another, such as SIGTERM or SIGUSR1, also behind a shell's exit
// code; none where the process ended otherwise, or by a fault of its own.
std::optional<int> sent_signal(std::int32_t wait_status);

// "SIGSEGV", "SIGRTMIN+3", "signal 125".
std::string signal_name(int number);

// "exit code 1", "SIGSEGV (segmentation fault), core dumped".
std::string in_words(std::int32_t wait_status);

}  // namespace muster::report
