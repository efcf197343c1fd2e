#include "launcher/port/owner.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <pwd.h>

namespace muster::port {
namespace {

namespace fs = std::filesystem;

struct Socket {
  unsigned uid = 0;
  std::string inode;
  bool listens = false;
};

// One line of /proc/net/tcp: "sl local_address rem_address st queues tr retrnsmt uid timeout
// inode".
std::optional<Socket> parse_line(const std::string& line, rendezvous::Port port) {
  std::istringstream words(line);
  std::string number, local, remote, state, queues, timer, retransmits, timeout;
  Socket socket;
  if (!(words >> number >> local >> remote >> state >> queues >> timer >> retransmits >>
        socket.uid >> timeout >> socket.inode)) {
    return std::nullopt;
  }
  const auto colon = local.rfind(':');
  unsigned at = 0;
  std::from_chars(local.data() + colon + 1, local.data() + local.size(), at, 16);
  if (colon == std::string::npos || at != port) return std::nullopt;
  if (socket.inode == "0") return std::nullopt;  // TIME_WAIT: no longer owned
  socket.listens = state == "0A";
  return socket;
}

// The listener, or else the owner of a connection there.
std::optional<Socket> find_socket(rendezvous::Port port, const std::string& proc) {
  std::optional<Socket> found;
  for (const auto* table : {"/net/tcp", "/net/tcp6"}) {
    std::ifstream file(proc + table);
    for (std::string line; std::getline(file, line);) {
      const auto socket = parse_line(line, port);
      if (socket && (!found || (socket->listens && !found->listens))) found = socket;
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

// The process that has the socket open; only the user's own processes are visible.
std::string find_process(const std::string& inode, const std::string& proc) {
  std::error_code error;
  const auto link = fmt::format("socket:[{}]", inode);
  for (fs::directory_iterator entry(proc, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (has_socket(entry->path(), link)) return name;
  }
  return {};
}

std::string user_name(unsigned uid) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> buffer{};
  getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found);
  return found == nullptr ? fmt::format("uid {}", uid) : std::string(entry.pw_name);
}

}  // namespace

std::string describe_owner(rendezvous::Port port, const std::string& proc) {
  const auto socket = find_socket(port, proc);
  if (!socket) return {};
  const auto process = find_process(socket->inode, proc);
  const auto user = user_name(socket->uid);
  return process.empty() ? fmt::format(" by {}", user)
                         : fmt::format(" by pid {} ({})", process, user);
}

}  // namespace muster::port
