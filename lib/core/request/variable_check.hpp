// Checks a step's variables against the site's policy. A rank's program may change its own environment later,
// which cannot be checked.
#pragma once

#include "core/env_var.hpp"
#include "core/environment.hpp"
#include "core/option/variable_policy.hpp"

#include <string>
#include <vector>

namespace muster::request {

// What the user has set: in the environment and, for variables that are not there, in the user's files that
// NCCL or UCX reads. For a variable from a file, `where` is its place in the file.
std::vector<EnvVar> set_by_user(const option::VariablePolicy& policy,
                                const Environment& environment,
                                const std::vector<EnvVar>& of_files);

// Throws Error if the user has set a variable that the policy forbids, or set it to a value that the policy
// does not allow. A fixed variable in a file need not be refused: the environment overrides the file.
void check_variables(const option::VariablePolicy& policy, const std::vector<EnvVar>& users);

// Makes what muster, a profile or the site would set for a rank comply with the policy: adds fixed values,
// leaves out forbidden ones, and moves numbers to their bounds. The user's own variables stay as they are.
void keep_policy(const option::VariablePolicy& policy, std::vector<EnvVar>& variables);

}  // namespace muster::request
