#include "launcher/agent/port/owner.hpp"

#include "launcher/agent/port/socket_table.hpp"
#include "launcher/agent/ranks/process_table.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <pwd.h>

namespace muster::port {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view over = "0";  // the inode of a connection without an owner, in TIME_WAIT

// Finds the listener or, if there is none, the owner of a connection on that port.
std::optional<Socket> find_socket(rendezvous::Port port, const std::string& proc) {
  std::optional<Socket> found;
  for (const auto* table : {"/net/tcp", "/net/tcp6"}) {
    std::ifstream file(proc + table);
    for (std::string line; std::getline(file, line);) {
      const auto socket = parse_socket(line);
      if (!socket || socket->port != port || socket->inode == over) continue;
      if (!found || (socket->listens && !found->listens)) found = socket;
    }
  }
  return found;
}

bool has_socket(const fs::path& process, const std::string& link) {
  std::error_code error;
  for (fs::directory_iterator fd(process / "fd", error), end; !error && fd != end;
       fd.increment(error)) {
    std::error_code unreadable;
    if (fs::read_symlink(fd->path(), unreadable) == link) return true;
  }
  return false;
}

// The process that has the socket open. This works only for the user's own processes, whose descriptors are
// visible.
std::string find_process(const std::string& inode, const std::string& proc) {
  std::string found;
  const auto link = fmt::format("socket:[{}]", inode);
  ranks::ProcessTable(proc).each([&](const ranks::SeenProcess& process) {
    if (!found.empty()) return;
    auto pid = fmt::to_string(process.pid());
    if (has_socket(fs::path(proc) / pid, link)) found = std::move(pid);
  });
  return found;
}

}  // namespace

std::string user_name(uid_t uid) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> buffer{};
  getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found);
  return found == nullptr ? fmt::format("uid {}", uid) : std::string(entry.pw_name);
}

std::string describe_owner(rendezvous::Port port, const std::string& proc) {
  const auto socket = find_socket(port, proc);
  if (!socket) return {};
  const auto process = find_process(socket->inode, proc);
  const auto user = user_name(socket->user);
  return process.empty() ? fmt::format(" by {}", user)
                         : fmt::format(" by pid {} ({})", process, user);
}

}  // namespace muster::port
