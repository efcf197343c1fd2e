// Reads the last lines of a rank's stderr if that is a file opened by slurmstepd (srun --error=out-%t). Does
// not touch the rank's streams. If stderr is a pipe to srun, there is nothing to read.
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
  std::uint64_t inode = 0;  // 0: not reported by the kernel (before Linux 5.14)

  friend bool operator==(const StderrFile&, const StderrFile&) = default;
};

// No value if the process's stderr is not a file with a name.
std::optional<StderrFile> stderr_file(const std::filesystem::path& proc, pid_t pid);

struct LastLines {
  std::vector<std::string> lines;
  bool shared = false;  // several ranks write to it, and nothing shows whose lines these are
};

// Limited to what report::RankEnd allows, without empty lines and C++ stack frames. Only the part of a line
// after its last carriage return counts, which a terminal would show (progress bars). Pure.
std::vector<std::string> last_lines(std::string_view end_of_file);

// The lines of this rank in a file into which several ranks write: those that begin with its "[rank3]:", as
// in newer torch's tracebacks. If there are none, the lines that name no rank, marked as shared. Pure.
LastLines last_lines_of_rank(std::string_view end_of_file, std::uint32_t rank);

// The end of a file of this rank alone, or of several. No lines if it is not a regular file of this user's,
// or was replaced; no value if it does not answer in time. A child reads it, because its file system may
// hang.
std::optional<LastLines> read_last_lines(const StderrFile& file, std::optional<std::uint32_t> among,
                                         std::chrono::milliseconds timeout);

}  // namespace muster::ranks
