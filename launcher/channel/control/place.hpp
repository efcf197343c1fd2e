// Where a user's supervisors listen on this host: Unix sockets in a directory that is the user's alone.
// Their names say nothing: a supervisor has one step after the other, and is asked which it has.
#pragma once

#include "core/environment.hpp"
#include "launcher/os/descriptor.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/un.h>

namespace muster::control {

inline constexpr std::size_t max_sockets = 256;  // of a user on one host

// muster below XDG_RUNTIME_DIR, and where that is no directory of the user's, control-HOST below
// XDG_STATE_HOME/muster or ~/.local/state/muster: a home may be on several hosts. The best first.
std::vector<std::filesystem::path> directories(const Environment& environment,
                                               const std::string& host);

// Opens a directory that only this user can use. Empty if others can use it as well.
os::Descriptor open_private(const std::filesystem::path& directory);

// The socket in that directory, however long the directory's path is.
sockaddr_un address_in(const os::Descriptor& directory, const std::string& name);

// The names of the sockets there.
std::vector<std::string> sockets_in(const std::filesystem::path& directory);

}  // namespace muster::control
