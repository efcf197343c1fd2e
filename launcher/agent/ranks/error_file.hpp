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

// Nothing if it is not a regular file of this user's, is empty, is longer than report::max_error_file_bytes,
// or cannot be read in time. A FIFO without a writer is no regular
// file either. The last two parts of the path are no links.
std::optional<ErrorFile> read_error_file(
    const std::filesystem::path& path,
    std::chrono::milliseconds timeout = std::chrono::milliseconds{500});

// Translates a wall-clock time to the monotonic clock by what both say now. It is wrong by as much as the
// wall clock has been set in between.
std::chrono::steady_clock::time_point monotonic(std::chrono::system_clock::time_point time,
                                                std::chrono::system_clock::time_point wall_now,
                                                std::chrono::steady_clock::time_point now);

}  // namespace muster::ranks
