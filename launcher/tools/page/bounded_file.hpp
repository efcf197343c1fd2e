// Files of logs=, read within a bound. A link, a pipe or a device under the name of a file is not read:
// muster makes none there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace muster::page {

struct Content {
  std::string text;
  int error = 0;           // errno where it cannot be read; ENOENT: there is none
  bool too_large = false;  // nothing was read
};

// The whole file where it has at most `max_bytes`.
Content whole_file(const std::filesystem::path& file, std::size_t max_bytes);

// Its last `max_bytes`, from the first whole line on. Empty where it cannot be read.
std::string end_of_file(const std::filesystem::path& file, std::size_t max_bytes);

}  // namespace muster::page
