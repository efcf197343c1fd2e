// What a cached topology depends on. Everything that may change while the node runs is part of the
// key, so a change leads to another name and never to a wrong answer.
#pragma once

#include "core/topology/hwloc/load.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace muster::topology::cache {

struct CacheKey {
  std::string boot;  // of this boot: entries of other boots can go
  std::string text;  // everything, one line each
};

// For a scan of the machine below `root`. Nothing if a scan would not describe this machine alone:
// there is no boot id, or the environment tells hwloc where to look.
std::optional<CacheKey> scan_key(hwloc::Scan scan, const std::filesystem::path& root);

// For a file's content, by its identity, on this machine. Nothing if there is no such file.
std::optional<CacheKey> file_key(const std::string& file, const std::filesystem::path& root);

}  // namespace muster::topology::cache
