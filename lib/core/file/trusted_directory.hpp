// The files of a configuration directory, provided that only its rightful owner can add one.
#pragma once

#include "core/file/trusted_file.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::file {

// The paths of the files in `directory` whose names end in `suffix` and do not begin with a dot, in byte
// order. Throws Error if the directory does not exist, cannot be read, belongs to another user, can be
// written by others, or has more than `max_files` such files.
std::vector<std::string> trusted_files(const std::string& directory, std::string_view suffix,
                                       const Trust& trust, std::size_t max_files);

}  // namespace muster::file
