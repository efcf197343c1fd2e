// Where this process sees the directories that the ranks see under the same names. Slurm's
// job_container/tmpfs or a container can give the tasks a /tmp of their own; then muster's directory there is
// another one.
#pragma once

#include "launcher/agent/ranks/ranks.hpp"
#include "launcher/os/descriptor.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace muster::ranks {

class RankViews {
 public:
  // `error_files`: as this process names them, by local task ID; an empty path means none.
  explicit RankViews(const std::vector<std::filesystem::path>& error_files);
  RankViews(const RankViews&) = delete;
  RankViews& operator=(const RankViews&) = delete;
  // Removes these directories: nobody else sees them.
  ~RankViews();

  // Call it while the ranks run, and again: a task may change its view before it starts the program. Returns
  // the ranks whose directory has turned out to be another one, each with a path to it. The path remains
  // valid as long as this object lives, even if the rank ends.
  std::vector<std::pair<std::size_t, std::filesystem::path>> look(const std::vector<Rank>& ranks);

 private:
  std::vector<std::filesystem::path> error_files_;
  std::vector<bool> found_;  // by local task ID
  struct Directory {
    os::Descriptor descriptor;
    std::string name;  // in the directory above
  };
  std::vector<Directory> directories_;
};

}  // namespace muster::ranks
