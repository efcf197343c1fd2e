// Finds everything that is wrong with a site's file and the files that it includes, not just the first
// error.
#pragma once

#include "core/file/trusted_file.hpp"

#include <string>
#include <vector>

namespace muster::site {

struct Findings {
  std::vector<std::string> files = {};     // files that were read
  std::vector<std::string> errors = {};    // errors that make launches fail; one per file
  std::vector<std::string> warnings = {};  // such as rules that never apply
};

Findings check_config(const std::string& path, const file::Trust& trust);

}  // namespace muster::site
