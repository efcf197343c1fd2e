// A secret of the user's own: 32 random bytes in a file that only this user can read, made when it
// is first needed. It gives ranks a common key where no launcher does. The launcher reads and makes
// the same file by the same rules.
#pragma once

#include "worker/environment.hpp"

#include <array>
#include <cstddef>
#include <string>

namespace muster::worker {

using UserSecret = std::array<unsigned char, 32>;

// MUSTER_SECRET_FILE; else muster/secret in XDG_STATE_HOME, or in .local/state of the home
// directory (HOME, else the user database's). Empty where none of these is known.
std::string user_secret_path(const Environment& environment);

// The secret in this file, which is made if it is missing: of several processes that make it at
// once, all get the same. Throws Error (environment) if it cannot be made, or if another user could
// have read or written it.
UserSecret user_secret(const std::string& path);

}  // namespace muster::worker
