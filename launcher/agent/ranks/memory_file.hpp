// Memory files by which muster's Python package can be found in a process: each has a name that tells its
// purpose and ends with a number.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include <sys/types.h>

namespace muster::ranks {

// The target of a descriptor's link, "/memfd:muster-stacks-60 (deleted)": 60 for "muster-stacks-".
std::optional<int> memory_file_number(std::string_view link, std::string_view name);

struct MemoryFile {
  std::filesystem::path path;  // the path by which others open it
  int number = 0;
};

// No value if the process has only a copy of its parent's: a fork that Python did not make copies the
// descriptors, but neither the thread nor the program that uses them.
std::optional<MemoryFile> find_memory_file(pid_t pid, std::string_view name);

}  // namespace muster::ranks
