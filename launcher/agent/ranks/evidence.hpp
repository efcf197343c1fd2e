// What this node can find out about a rank's end, in addition to its status: the exception in its error file
// or the stack at a fatal signal, a kill by the kernel because of memory, and the last lines of its stderr.
#pragma once

#include "core/report/record.hpp"
#include "launcher/agent/ranks/last_lines.hpp"
#include "launcher/agent/ranks/memory_groups.hpp"
#include "launcher/agent/ranks/ranks.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::ranks {

// Converts this node's clock to the supervisor's.
using Translate = std::function<report::Moment(std::chrono::steady_clock::time_point)>;

// Pure. A kill in the task's own group hit the rank, or a child whose death ended the rank. A kill in a
// shared group counts only if the rank was killed, and not by muster.
bool killed_for_memory(const OomKills& kills, std::int32_t wait_status, bool ended_by_muster);

// The evidence about all ranks on this node.
class Evidence {
 public:
  // `error_files`: indexed by local task ID; an empty path means no file. `stderr_files`: those of logs=, if
  // any; the files that the ranks' processes have open are read as well.
  Evidence(std::vector<std::filesystem::path> error_files, GroupMounts mounts,
           const std::vector<std::filesystem::path>& stderr_files = {});

  // While the ranks run: collects what cannot be found out once they have ended. Touches none of the user's
  // files.
  void look(const std::vector<Rank>& ranks);

  // The rank's files are elsewhere than they seemed.
  void moved(std::size_t local_id, const std::filesystem::path& error_file);

  // For one rank that has ended, with its status or report::unknown_status. After the deadline its files are
  // no longer read, because reporting that it ended is more important than reporting why.
  [[nodiscard]] report::RankEnd of(std::size_t local_id, const Rank& rank, const Translate& moment,
                                   std::chrono::steady_clock::time_point deadline =
                                       std::chrono::steady_clock::time_point::max());

 private:
  struct Place {
    std::filesystem::path error_file;
    MemoryGroups memory = {};
    std::optional<StderrFile> stderr_file = {};
  };

  void add_last_lines(report::RankEnd& end, const Place& place,
                      std::chrono::steady_clock::time_point deadline);

  GroupMounts mounts_;
  std::vector<Place> places_;
  // Each one costs a child process, and a task's exit waits for the agent, so this is not done for all ranks
  // on a node.
  std::size_t last_lines_left_ = 4;
};

}  // namespace muster::ranks
