// Which folders of logs= the user means by a directory: that of one attempt, or the one above.
#pragma once

#include "core/logs/names.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace muster::page {

// Those of a run's attempts lie beside each other.
struct RunPlace {
  std::filesystem::path parent;
  std::string newest;                 // the folder of the attempt to show
  std::vector<std::string> siblings;  // all folders of attempts there, that one too, in order
  bool is_parent = false;             // the user named `parent` itself
};

// Throws Error, in one line, where the directory is not there, or has no run in it, or several and no link
// to the newest: the line names some of them.
RunPlace find_run(const std::filesystem::path& directory);

// The folder of the attempt before this one, of which only the name is known. Pure.
std::optional<std::string> folder_before(const std::string& folder,
                                         const std::vector<std::string>& siblings);

// The folder of that attempt of the run that `newest` belongs to, by its name. Pure.
std::string folder_of(const std::string& newest, const std::string& step, std::uint32_t attempt);

}  // namespace muster::page
