// The site's policy for variables against what a user has set, in the environment and in his own files.
#pragma once

#include "core/environment.hpp"

#include <filesystem>

namespace muster::option {
struct VariablePolicy;
}

namespace muster::node {

// Throws Error in one line: also for a file of the user's that cannot be read whole. Files below /etc are the
// site's own. `directory` is where the ranks start, empty where
// that is not known; `root` is /.
void check_variables(const option::VariablePolicy& policy, const Environment& environment,
                     const std::filesystem::path& directory,
                     const std::filesystem::path& root = "/");

}  // namespace muster::node
