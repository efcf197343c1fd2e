// Groups of users, as the system's databases have them. These are asked in a child with a deadline, since a
// directory service may not answer.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::os {

// `group` is a name, or a number. A group that does not exist has no members; throws Error where the
// databases do not answer.
bool has_group(const std::vector<gid_t>& groups, const std::string& group);

// The groups of this process.
std::vector<gid_t> own_groups();
bool is_in_group(const std::string& group);

// Throws Error for an unknown user.
std::vector<gid_t> groups_of(const std::string& user);

}  // namespace muster::os
