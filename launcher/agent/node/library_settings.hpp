// What files of the site or the user already set for NCCL and UCX. An environment variable would override
// them.
#pragma once

#include "core/environment.hpp"
#include "core/lint/lint.hpp"
#include "core/resources/task_resources.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace muster::node {

// The settings in the files, and the files that NCCL or UCX may read although this process cannot read them
// in full.
struct LibrarySettings {
  struct Unread {
    std::filesystem::path file;
    std::string why;
  };
  std::vector<lint::Variable> settings;
  std::vector<std::filesystem::path> files;  // the file of each setting, by index
  std::vector<Unread> unread;
};

// Relative paths are relative to `directory`, where the ranks start. `root` is /.
LibrarySettings library_settings(const std::filesystem::path& root, const Environment& environment,
                                 const std::filesystem::path& directory);

// Every NAME=VALUE of nccl.conf and ucx.conf with its file and line, as far as the files can be read. Each
// name appears once, from the file that NCCL prefers. `root` is /.
std::vector<lint::Variable> placed_settings(const std::filesystem::path& root,
                                            const Environment& environment);

// Likewise, without files and lines.
Environment settings_in_files(const std::filesystem::path& root, const Environment& environment);

// Drops the NICs for each library whose NICs such a setting already names.
void respect(const Environment& settings, std::vector<resources::TaskResources>& tasks);

}  // namespace muster::node
