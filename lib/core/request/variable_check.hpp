// The site's policy for variables against those of a step. A program of the ranks may change its own
// environment later, which nobody can see.
#pragma once

#include "core/env_var.hpp"
#include "core/environment.hpp"
#include "core/option/variable_policy.hpp"

#include <string>
#include <vector>

namespace muster::request {

// What a user has set: in the environment, and in files of his that NCCL or UCX read, where the environment
// does not have it. `where` of a variable from a file is its place.
std::vector<EnvVar> set_by_user(const option::VariablePolicy& policy,
                                const Environment& environment,
                                const std::vector<EnvVar>& of_files);

// Throws Error where the user has set a variable that the policy forbids, or another value than it allows.
// A fixed variable of a file needs no refusal: the environment comes before it.
void check_variables(const option::VariablePolicy& policy, const std::vector<EnvVar>& users);

// What muster, a profile or the site would set for a rank becomes what the policy allows: fixed values are
// added, forbidden ones are left out, and numbers move to their bound. The user's are not touched.
void keep_policy(const option::VariablePolicy& policy, std::vector<EnvVar>& variables);

}  // namespace muster::request
