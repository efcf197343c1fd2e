// Reads short kernel files, such as those below /proc, which do not report their size, and lists directories.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace muster::os {

// At most the first `max_bytes`; empty if it cannot be read.
std::string small_file(const std::filesystem::path& file, std::size_t max_bytes);

// The file's first line, without trailing spaces.
std::string first_line(const std::filesystem::path& file, std::size_t max_bytes);

// The names in a directory, sorted; at most a few thousand. Empty if it cannot be read.
std::vector<std::string> names_in(const std::filesystem::path& directory);

}  // namespace muster::os
