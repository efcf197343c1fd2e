// A user's small text file, read to look at.
#pragma once

#include <optional>
#include <string>

namespace muster::os {

// The whole file; nothing if it cannot be read, is no regular file or has more than 1 MiB.
std::optional<std::string> text_file(const std::string& path);

}  // namespace muster::os
