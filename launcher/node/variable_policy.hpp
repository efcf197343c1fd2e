// The site's policy for variables against what a user has set, in the environment and in his own files.
#pragma once

#include "core/environment.hpp"

#include <filesystem>

namespace muster::option {
struct VariablePolicy;
}

namespace muster::node {

// Throws Error in one line. Files below /etc are the site's own. `root` is /.
void check_variables(const option::VariablePolicy& policy, const Environment& environment,
                     const std::filesystem::path& root = "/");

}  // namespace muster::node
