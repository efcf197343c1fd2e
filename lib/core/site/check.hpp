// Everything that is wrong with a site's file and the files that it includes, not just the first fault.
#pragma once

#include "core/file/trusted_file.hpp"

#include <string>
#include <vector>

namespace muster::site {

struct Findings {
  std::vector<std::string> files = {};     // that were read
  std::vector<std::string> errors = {};    // for which launches are refused; one of each file
  std::vector<std::string> warnings = {};  // such as a rule that never applies
};

Findings check_config(const std::string& path, const file::Trust& trust);

}  // namespace muster::site
