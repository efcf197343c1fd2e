// Users' groups, according to the system's databases. They are queried in a child with a deadline, because a
// directory service may not answer.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::os {

// `group` is a name or a number. A group that does not exist has no members; throws Error if the databases do
// not answer.
bool has_group(const std::vector<gid_t>& groups, const std::string& group);

// The groups of this process.
std::vector<gid_t> own_groups();
bool is_in_group(const std::string& group);

// Throws Error for an unknown user.
std::vector<gid_t> groups_of(const std::string& user);

}  // namespace muster::os
