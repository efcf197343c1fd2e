// A directory for its user alone, with those above it.
#pragma once

#include <filesystem>

namespace muster::os {

// Makes what is missing of it, for its user alone, whatever the umask; whose the rest is does not matter.
// Returns 0, or errno.
[[nodiscard]] int make_directories(const std::filesystem::path& directory);

// Makes what is missing, mode 0700; what is there keeps its mode. Others may make the same at the same
// time. Returns 0, or errno: EPERM where the last one belongs to another user, who could replace what
// is in it, ENOTDIR where it is none (a link, too).
[[nodiscard]] int make_private_directory(const std::filesystem::path& directory);

}  // namespace muster::os
