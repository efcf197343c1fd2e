// What a cached topology depends on. Everything that may change while the node runs is part of the key, so a
// change leads to a different name, never to a wrong answer.
#pragma once

#include "core/topology/hwloc/load.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace muster::topology::cache {

struct CacheKey {
  std::string boot;  // identifies this boot: entries of other boots can be removed
  std::string text;  // everything, one line each
};

// For a scan of the machine below `root`. No value if a scan might describe something other than this
// machine: there is no boot ID, or the environment tells hwloc where to look.
std::optional<CacheKey> scan_key(hwloc::Scan scan, const std::filesystem::path& root);

// For a file's content, by the file's identity on this machine. No value if there is no such file.
std::optional<CacheKey> file_key(const std::string& file, const std::filesystem::path& root);

}  // namespace muster::topology::cache
