// A secret of the user's own: 32 random bytes in a file that only this user can read, made when it
// is first needed. It proves that processes on several nodes, which nobody gave a key, are the same
// user's. The worker library reads the same file.
#pragma once

#include "core/environment.hpp"

#include <array>
#include <cstddef>
#include <string>

namespace muster::os {

inline constexpr std::size_t user_secret_bytes = 32;

struct UserSecret {
  std::array<unsigned char, user_secret_bytes> bytes{};

  friend bool operator==(const UserSecret&, const UserSecret&) = default;
};

// MUSTER_SECRET_FILE; else muster/secret below XDG_STATE_HOME or ~/.local/state, where ~ is HOME, or
// the user database's answer if HOME is not set; empty where no absolute path is found.
std::string user_secret_path(const Environment& environment);

// The secret in this file, which is made where there is none: of several that make it at once, all
// get the same. Error where it cannot be made, or where others can read or may have written it.
UserSecret user_secret(const std::string& path);

}  // namespace muster::os
