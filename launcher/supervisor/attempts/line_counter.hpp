// The file beside a job's saved state that counts the srun lines with the same words: each of them keeps
// a state of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace muster::attempts {

// Another line holds the counter only while it writes it.
inline constexpr std::chrono::milliseconds time_to_lock_counter{2000};

// Takes the next number of this run of the job; `run`: how often it has been requeued. `file`: the state of
// the first line. 0 where they cannot be counted, as by a file that others may write.
std::uint32_t take_line_number(const std::string& file, std::uint32_t run,
                               std::chrono::milliseconds patience = time_to_lock_counter);

// Of the line with that number; that of the first one is `file` itself.
std::string state_file_of_line(const std::string& file, std::uint32_t number);

}  // namespace muster::attempts
