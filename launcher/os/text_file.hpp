// Reads one of the user's small text files.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace muster::os {

// The whole file; no value if it cannot be read, is not a regular file, or has more than `max_bytes`.
std::optional<std::string> text_file(const std::string& path,
                                     std::size_t max_bytes = std::size_t{1} << 20);

}  // namespace muster::os
