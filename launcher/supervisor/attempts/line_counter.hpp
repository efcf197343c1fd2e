// The file next to a job's saved state that counts the srun lines with the same words: each of these lines
// keeps its own state.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace muster::attempts {

// Another srun line holds the lock only while it writes the counter.
inline constexpr std::chrono::milliseconds lock_timeout{2000};

// Takes the next number in this run of the job. `run`: how often the job has been requeued. `file`: the state
// of the first line. Returns 0 if the lines cannot be counted, for example because others may write the file.
std::uint32_t take_line_number(const std::string& file, std::uint32_t run,
                               std::chrono::milliseconds timeout = lock_timeout);

// The state file of the line with that number; the first line's is `file` itself.
std::string state_file_of_line(const std::string& file, std::uint32_t number);

}  // namespace muster::attempts
