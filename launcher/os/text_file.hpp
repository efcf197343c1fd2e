// Reads one of the user's small text files.
#pragma once

#include <optional>
#include <string>

namespace muster::os {

// The whole file; no value if it cannot be read, is not a regular file, or has more than 1 MiB.
std::optional<std::string> text_file(const std::string& path);

}  // namespace muster::os
