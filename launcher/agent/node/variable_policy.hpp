// Checks the site's policy for variables against what a user has set, in the environment and in the user's
// own files.
#pragma once

#include "core/environment.hpp"

#include <filesystem>

namespace muster::option {
struct VariablePolicy;
}

namespace muster::node {

// Throws an Error of one line, also if one of the user's files cannot be read in full. Files below /etc
// belong to the site. `directory` is where the ranks start, empty if that is unknown; `root` is /.
void check_variables(const option::VariablePolicy& policy, const Environment& environment,
                     const std::filesystem::path& directory,
                     const std::filesystem::path& root = "/");

}  // namespace muster::node
