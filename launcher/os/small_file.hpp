// Short files of the kernel's, such as those below /proc, which say nothing of their size, and their names.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace muster::os {

// At most `max_bytes` of its beginning; empty where it cannot be read.
std::string small_file(const std::filesystem::path& file, std::size_t max_bytes);

// Its first line, without spaces at its end.
std::string first_line(const std::filesystem::path& file, std::size_t max_bytes);

// The names in a directory, in order; at most a few thousand. Empty where it cannot be read.
std::vector<std::string> names_in(const std::filesystem::path& directory);

}  // namespace muster::os
