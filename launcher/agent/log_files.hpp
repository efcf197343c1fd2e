// The files of logs= on this node, created before any task starts. If one node cannot create them, no node
// starts a task.
#pragma once

#include <string>
#include <vector>

namespace muster::agent {

struct StepContext;

struct LogFiles {
  struct Rank {
    std::string output;
    std::string error;
  };
  std::string directory;    // empty without logs=
  std::vector<Rank> ranks;  // by local task ID
};

// Only their user can access the directories and files, and an existing file is never reused. Throws Error
// with the file and the reason.
LogFiles make_log_files(const StepContext& context);

}  // namespace muster::agent
