// Creates a directory for its user only, including missing parents.
#pragma once

#include <filesystem>

namespace muster::os {

// Creates the missing parts for its user only, whatever the umask. Existing parts may belong to others.
// Returns 0, or errno.
[[nodiscard]] int make_directories(const std::filesystem::path& directory);

// Creates the missing parts with mode 0700; existing parts keep their mode. Other processes may create them
// at the same time. Returns 0, or errno: EPERM if the last part belongs to another user, who could replace
// its contents; ENOTDIR if it is not a directory (a link is not one).
[[nodiscard]] int make_private_directory(const std::filesystem::path& directory);

}  // namespace muster::os
