// Finds out which folders of logs= the user means by a directory: either one attempt's folder, or the one
// above.
#pragma once

#include "core/logs/names.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace muster::page {

// The folders of a run's attempts are in one directory.
struct RunPlace {
  std::filesystem::path parent;
  std::string newest;                 // the folder of the attempt to show
  std::vector<std::string> siblings;  // all attempts' folders there, including the newest, in order
  bool is_parent = false;             // the user named `parent` itself
};

// Throws an Error of one line if the directory does not exist, contains no run, or contains several and no
// link to the newest; in the last case the line names some of them.
RunPlace find_run(const std::filesystem::path& directory);

// The folder of the previous attempt, of which only the name is known. Pure.
std::optional<std::string> folder_before(const std::string& folder,
                                         const std::vector<std::string>& siblings);

// The name of the folder of that attempt, in the run that `newest` belongs to. Pure.
std::string folder_of(const std::string& newest, const std::string& step, std::uint32_t attempt);

}  // namespace muster::page
