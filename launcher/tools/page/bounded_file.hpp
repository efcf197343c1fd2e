// Reads files of logs= within a size limit. Ignores a link, a pipe or a device that has the name of such a
// file, because muster never creates one there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace muster::page {

struct Content {
  std::string text;
  int error = 0;           // errno if the file cannot be read; ENOENT: no such file
  bool too_large = false;  // so the file was not read
};

// The whole file if it has at most `max_bytes`.
Content whole_file(const std::filesystem::path& file, std::size_t max_bytes);

// The file's last `max_bytes`, from the first whole line on. Empty if the file cannot be read.
std::string end_of_file(const std::filesystem::path& file, std::size_t max_bytes);

}  // namespace muster::page
