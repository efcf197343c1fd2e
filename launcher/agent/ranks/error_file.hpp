// The file that may contain a rank's exception (TORCHELASTIC_ERROR_FILE), as found on the disk. The rank's
// program wrote it, so it can contain anything.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace muster::ranks {

// Next to it: the exception that ended the program, as the start hook writes it (lib/python/start).
inline constexpr const char* exception_file_name = "exception.json";

// And what it says about torch and NCCL once the program has its process group.
inline constexpr const char* group_file_name = "group";

struct ErrorFile {
  std::string text;
  std::chrono::system_clock::time_point written;
};

// No value if it is not a regular file of this user's, is empty, is longer than report::max_error_file_bytes,
// or cannot be read in time. A FIFO without a writer does not block. The last two parts of the path must not
// be links.
std::optional<ErrorFile> read_error_file(
    const std::filesystem::path& path,
    std::chrono::milliseconds timeout = std::chrono::milliseconds{500});

// Converts a wall-clock time to the monotonic clock by comparing both clocks now. The result is wrong by as
// much as the wall clock has been adjusted in between.
std::chrono::steady_clock::time_point monotonic(std::chrono::system_clock::time_point time,
                                                std::chrono::system_clock::time_point wall_now,
                                                std::chrono::steady_clock::time_point now);

}  // namespace muster::ranks
