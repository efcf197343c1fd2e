// A short file of the kernel's, such as one below /proc, which says nothing of its size.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace muster::os {

// At most `max_bytes` of its beginning; empty where it cannot be read.
std::string small_file(const std::filesystem::path& file, std::size_t max_bytes);

}  // namespace muster::os
