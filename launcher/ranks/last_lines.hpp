// The last lines of a rank's stderr, where that is a file that slurmstepd has opened
// (srun --error=out-%t): the rank's streams are not touched. A pipe to srun holds nothing to look at.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace muster::ranks {

struct StderrFile {
  std::string path;
  std::uint64_t inode = 0;  // 0: the kernel does not say (before Linux 5.14)
};

// Nothing where the process's stderr is not a file with a name.
std::optional<StderrFile> stderr_file(const std::filesystem::path& proc, pid_t pid);

// Bounded as report::RankEnd wants it. The part of a line behind its last carriage return is what a
// terminal would show of it (progress bars). Pure.
std::vector<std::string> last_lines(std::string_view end_of_file);

// Empty where the file is not a regular one of this user's, or is another one by now; nothing where it
// does not answer within the time. A child reads it: it may be on a file system that hangs.
std::optional<std::vector<std::string>> read_last_lines(const StderrFile& file,
                                                        std::chrono::milliseconds timeout);

}  // namespace muster::ranks
