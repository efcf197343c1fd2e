// The file in which a job's attempts survive its requeue: one for each srun line of a job, in the user's
// state directory, which the batch host of the next run must share. For several lines with the same words,
// see line_counter.hpp.
#pragma once

#include "core/environment.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::attempts {

// requeue-CLUSTER-JOB-HASH below XDG_STATE_HOME/muster or ~/.local/state/muster; empty if there is no such
// directory.
std::string saved_state_file(const Environment& environment, const std::string& job,
                             const std::vector<std::string>& command);

// Whether it is a regular file that belongs to this user and that no other user may write.
bool only_user_writes(int file);

// No value if there is no such file, or if another user may have written it.
std::optional<std::string> read_saved_state(const std::string& file);

// A file is left behind if its job is cancelled while pending, or is killed before it could remove the file.
inline constexpr std::chrono::days max_saved_state_age{90};

// Removes state files of any job in the directory of `file` that are older than max_saved_state_age.
void remove_old_states(const std::string& file);

// Returns why the file could not be written, or an empty text. Only for a process with one thread.
std::string write_saved_state(const std::string& file, std::string_view text);

}  // namespace muster::attempts
