// What files of the site or the user already set for NCCL and UCX. An environment variable would
// override these files.
#pragma once

#include "core/environment.hpp"
#include "core/lint/lint.hpp"
#include "core/resources/task_resources.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace muster::node {

// What the files set, and those that NCCL or UCX may read although this process cannot read them whole.
struct LibrarySettings {
  struct Unread {
    std::filesystem::path file;
    std::string why;
  };
  std::vector<lint::Variable> settings;
  std::vector<std::filesystem::path> files;  // of each setting
  std::vector<Unread> unread;
};

// A relative path is one from `directory`, where the ranks start. `root` is /.
LibrarySettings library_settings(const std::filesystem::path& root, const Environment& environment,
                                 const std::filesystem::path& directory);

// Every NAME=VALUE of nccl.conf and ucx.conf with its file and line, as far as they can be read; each
// name once, from the file that NCCL prefers. `root` is /.
std::vector<lint::Variable> placed_settings(const std::filesystem::path& root,
                                            const Environment& environment);

// The same without their places.
Environment settings_in_files(const std::filesystem::path& root, const Environment& environment);

// Drops the NICs of each library for which such a setting already names the NICs to use.
void respect(const Environment& settings, std::vector<resources::TaskResources>& tasks);

}  // namespace muster::node
