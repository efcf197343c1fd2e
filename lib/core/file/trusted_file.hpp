// Reading a configuration file that nobody but its rightful owner can have written.
// The only I/O of config and profile.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::file {

inline constexpr std::size_t max_file_bytes = std::size_t{1} << 20;

// Who may own a file. Where `any_owner` is set (tests, a checkout) ownership and mode are
// not looked at; size and kind always are.
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

// The content; nothing where there is no such file. Error where it cannot be read, is not a
// regular file, is larger than `max_bytes`, belongs to someone else or others can write it.
std::optional<std::string> read_trusted_file(const std::string& path, const Trust& trust,
                                             std::size_t max_bytes = max_file_bytes);

}  // namespace muster::file
