#include "launcher/os/local_socket.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace muster::os {
namespace {

constexpr int backlog = 4096;  // the kernel limits it to net.core.somaxconn

struct Address {
  sockaddr_un name{};
  socklen_t size = 0;

  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

Address abstract(const std::string& name) {
  Address address;
  address.name.sun_family = AF_UNIX;
  const auto length = std::min(name.size(), sizeof address.name.sun_path - 1);
  std::memcpy(address.name.sun_path + 1, name.data(), length);
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  return address;
}

Descriptor stream() {
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) throw Error(fmt::format("cannot open a local socket: {}", std::strerror(errno)));
  return socket;
}

}  // namespace

Descriptor listen_at(const std::string& name) {
  auto socket = stream();
  const auto address = abstract(name);
  if (bind(socket.get(), address.get(), address.size) != 0) {
    if (errno == EADDRINUSE) return Descriptor();
    throw Error(fmt::format("cannot open the local socket {}: {}", name, std::strerror(errno)));
  }
  if (listen(socket.get(), backlog) != 0) {
    throw Error(fmt::format("cannot listen on {}: {}", name, std::strerror(errno)));
  }
  return socket;
}

Descriptor connect_to(const std::string& name) {
  auto socket = stream();
  const auto address = abstract(name);
  // A local connection either succeeds immediately, or is not possible yet because the queue is full.
  if (connect(socket.get(), address.get(), address.size) != 0) return Descriptor();
  return socket;
}

Descriptor accept_before(const Descriptor& listener, wire::Deadline deadline) {
  using std::chrono::milliseconds;
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd poller{listener.get(), POLLIN, 0};
    const auto timeout = std::clamp<milliseconds::rep>(left.count(), 0, INT_MAX);
    if (poll(&poller, 1, static_cast<int>(timeout)) == 0) return Descriptor();
    Descriptor peer(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (peer || std::chrono::steady_clock::now() >= deadline) return peer;
  }
}

std::optional<uid_t> peer_user(const Descriptor& socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer.uid;
}

}  // namespace muster::os
