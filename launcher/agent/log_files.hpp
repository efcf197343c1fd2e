// The files of logs= on this node, made before any task starts: where they cannot be made, no node
// starts one.
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
  std::vector<Rank> ranks;  // by local task id
};

// Directories and files are their user's alone, and a file that is there already is never taken.
// Throws Error with the file and the reason.
LogFiles make_log_files(const StepContext& context);

}  // namespace muster::agent
