// The file in which a rank's exception may be (TORCHELASTIC_ERROR_FILE), as it is found on the disk.
// The rank's program wrote it: it can be anything.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace muster::ranks {

struct ErrorFile {
  std::string text;
  std::chrono::system_clock::time_point written;
};

// Nothing where it is no regular file of this user's, empty, or longer than
// report::max_error_file_bytes, or where it cannot be read in time. A FIFO without a writer is no regular
// file either. The last two parts of the path are no links.
std::optional<ErrorFile> read_error_file(
    const std::filesystem::path& path,
    std::chrono::milliseconds timeout = std::chrono::milliseconds{500});

// A wall-clock time as one of the monotonic clock, from what both say now. Wrong by as much as the wall
// clock has been set in between.
std::chrono::steady_clock::time_point monotonic(std::chrono::system_clock::time_point time,
                                                std::chrono::system_clock::time_point wall_now,
                                                std::chrono::steady_clock::time_point now);

}  // namespace muster::ranks
