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

  friend bool operator==(const StderrFile&, const StderrFile&) = default;
};

// Nothing where the process's stderr is not a file with a name.
std::optional<StderrFile> stderr_file(const std::filesystem::path& proc, pid_t pid);

struct LastLines {
  std::vector<std::string> lines;
  bool shared = false;  // several ranks write there, and nothing says whose lines these are
};

// Bounded as report::RankEnd wants it. The part of a line behind its last carriage return is what a
// terminal would show of it (progress bars). Pure.
std::vector<std::string> last_lines(std::string_view end_of_file);

// The lines of this rank in a file into which several write: those with its "[rank3]:", as newer torch begins
// the lines of a traceback; or, if there are none, those of no other rank, as shared ones. Pure.
LastLines last_lines_of_rank(std::string_view end_of_file, std::uint32_t rank);

// What a file of this rank alone, or of several, ends with. No lines where the file is not a regular one of
// this user's, or is another one by now; nothing where it does not answer within the time. A child reads
// it: it may be on a file system that hangs.
std::optional<LastLines> read_last_lines(const StderrFile& file, std::optional<std::uint32_t> among,
                                         std::chrono::milliseconds timeout);

}  // namespace muster::ranks
