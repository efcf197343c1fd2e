// A directory for its user alone, with those above it.
#pragma once

#include <filesystem>

namespace muster::os {

// Makes the missing parts, for its user alone and whatever the umask. Parts that exist may belong to others.
// Returns 0, or errno.
[[nodiscard]] int make_directories(const std::filesystem::path& directory);

// Makes the missing parts with mode 0700; parts that exist keep their mode. Others may make the same at the
// same time. Returns 0, or errno: EPERM if the last part belongs to another user, who could replace its
// contents; ENOTDIR if it is not a directory (a link is not one).
[[nodiscard]] int make_private_directory(const std::filesystem::path& directory);

}  // namespace muster::os
