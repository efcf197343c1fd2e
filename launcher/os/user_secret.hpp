// The user's own secret: 32 random bytes in a file that only this user can read, made on first use.
// It proves that processes on several nodes, which received no common key, belong to the same user.
// The worker library reads the same file.
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

// The secret in this file. Makes the file if there is none; if several processes make it together,
// all get the same secret. Throws Error if it cannot be made, or if others can read it or may have
// written it.
UserSecret user_secret(const std::string& path);

}  // namespace muster::os
