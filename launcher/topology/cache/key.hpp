// What a remembered topology depends on. Whatever may change while the node runs is part of it, so
// that a change is another name and never a wrong answer.
#pragma once

#include "core/topology/hwloc/load.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace muster::topology::cache {

struct CacheKey {
  std::string boot;  // of this boot: what other boots left can go
  std::string text;  // everything, a line each
};

// Of a scan of the machine below `root`. None where a scan would not be one of this machine alone:
// no boot id, or the environment tells hwloc where to look.
std::optional<CacheKey> scan_key(hwloc::Scan scan, const std::filesystem::path& root);

// Of a file's content, by its identity, on this machine. None where there is no such file.
std::optional<CacheKey> file_key(const std::string& file, const std::filesystem::path& root);

}  // namespace muster::topology::cache
