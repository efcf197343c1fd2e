// Reads a configuration file, provided that only its rightful owner can have written it. Site files and
// profiles do no other I/O.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::file {

inline constexpr std::size_t max_file_bytes = std::size_t{1} << 20;

// The users who may own a file. `any_owner` (tests, a checkout) skips the checks of owner and mode; size
// and kind are always checked.
struct Trust {
  std::vector<uid_t> owners{0};
  bool any_owner = false;
};

inline Trust trust_root() {
  return Trust{{0}, false};
}
inline Trust trust_root_and(uid_t user) {
  return Trust{{0, user}, false};
}
inline Trust trust_any_owner() {
  return Trust{{}, true};
}

// The file's content, or no value if the file does not exist. Throws Error if the file cannot be read, is not
// a regular file, is larger than `max_bytes`, belongs to another user or can be written by others.
std::optional<std::string> read_trusted_file(const std::string& path, const Trust& trust,
                                             std::size_t max_bytes = max_file_bytes);

}  // namespace muster::file
