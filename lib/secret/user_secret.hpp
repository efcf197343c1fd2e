// The user's secret: 32 random bytes in a file that only this user can read, created on first use. It lets
// processes on several nodes prove that they belong to the same user although they were not given a common
// key. The launcher and the worker library read the same file.
#pragma once

#include "secret/key.hpp"

#include <functional>
#include <string>

namespace muster::secret {

// The value of an environment variable; empty if it is not set.
using Variable = std::function<std::string(const char* name)>;

// The directory of muster's own files: muster in XDG_STATE_HOME, or in .local/state of the home directory.
// The home directory is HOME, or if that is not set, the one in the user database. Empty if neither is an
// absolute path. Creates nothing.
std::string state_directory(const Variable& variable);

// MUSTER_SECRET_FILE, or the file `secret` in the state directory. Empty if there is no such directory.
std::string user_secret_path(const Variable& variable);

// The secret in this file. Creates the file if it is missing; several processes that create it at the same
// time all get the same secret. Throws Error if it cannot be created, or if another user could have read or
// written it. Takes up to two seconds while a file system hides a file that another node has just created.
Key user_secret(const std::string& path);

}  // namespace muster::secret
