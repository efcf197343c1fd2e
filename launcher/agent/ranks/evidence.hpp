// What this node can say of a rank's end beside its status: the exception in its error file or the
// stack at a fatal signal, a kill by the kernel for memory, the last lines of its stderr.
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

// Translates this node's clock to the supervisor's.
using Translate = std::function<report::Moment(std::chrono::steady_clock::time_point)>;

// Pure. A kill in the task's own group hit the rank, or a child because of which it ended. A kill in a shared
// group counts only if the rank was killed, and not by muster.
bool killed_for_memory(const OomKills& kills, std::int32_t wait_status, bool ended_by_muster);

// The evidence of all ranks of this node.
class Evidence {
 public:
  // By local task ID. An empty path means no file. `stderr_files`: those of logs=, if any; the files
  // that the ranks' processes have open are read as well.
  Evidence(std::vector<std::filesystem::path> error_files, MemoryMounts mounts,
           const std::vector<std::filesystem::path>& stderr_files = {});

  // While the ranks run: finds out what cannot be known once they have ended. Touches no file of the user's.
  void look(const std::vector<Rank>& ranks);

  // For one rank that has ended, with its status or report::unknown_status. After the deadline its files
  // are no longer read: that it has ended is worth more than why.
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

  MemoryMounts mounts_;
  std::vector<Place> places_;
  // Each one costs a child, and a task's exit waits for the agent: not for all ranks of a node.
  std::size_t last_lines_left_ = 4;
};

}  // namespace muster::ranks
