// The file in which a job's attempts outlive its requeue: in the user's directory for such files, which
// the next run's batch host sees, too, one for each srun line of a job. Lines with the same words:
// line_counter.hpp.
#pragma once

#include "core/environment.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::attempts {

// requeue-CLUSTER-JOB-HASH below XDG_STATE_HOME/muster or ~/.local/state/muster; empty where there is
// no such directory.
std::string saved_state_file(const Environment& environment, const std::string& job,
                             const std::vector<std::string>& command);

// A regular file that belongs to this user, and that no other may write.
bool only_user_writes(int file);

// Nothing where there is none, or none that only this user can have written.
std::optional<std::string> read_saved_state(const std::string& file);

// Such a file stays where a job is cancelled while it waits, or killed before it could remove it.
inline constexpr std::chrono::days max_saved_state_age{90};

// Removes the files beside `file`, of any job, that nobody has written for so long.
void remove_old_states(const std::string& file);

// For this process's only thread. Empty, or why it could not be written.
std::string write_saved_state(const std::string& file, std::string_view text);

}  // namespace muster::attempts
