// Where a user's supervisors listen on this host: Unix sockets in a directory that only the user can access.
// Their names carry no meaning: a supervisor runs one step after another, and a client asks it which step it
// is running.
#pragma once

#include "core/environment.hpp"
#include "launcher/os/descriptor.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/un.h>

namespace muster::control {

inline constexpr std::size_t max_sockets = 256;  // at most this many for one user on one host

// Best first: muster below XDG_RUNTIME_DIR. If that is not one of the user's directories: control-HOST below
// XDG_STATE_HOME/muster or ~/.local/state/muster, because several hosts may share a home. Last: a directory
// in /tmp, for nodes that cannot write to the home; open_private() refuses it if another user has made it.
std::vector<std::filesystem::path> directories(const Environment& environment,
                                               const std::string& host);

// Opens a directory that only this user can access. Empty if others can access it as well.
os::Descriptor open_private(const std::filesystem::path& directory);

// The address of the socket in that directory, however long the directory's path is.
sockaddr_un address_in(const os::Descriptor& directory, const std::string& name);

// The names of the sockets there.
std::vector<std::string> sockets_in(const std::filesystem::path& directory);

}  // namespace muster::control
