#include "worker/tcp/socket.hpp"

#include "worker/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

namespace muster::worker::tcp {
namespace {

constexpr int backlog = 16384;  // the kernel limits it to net.core.somaxconn
constexpr std::chrono::seconds loopback_timeout{1};

// Sends small messages immediately. A connection without this option is slower but works as well.
void send_at_once(const Socket& socket) {
  const int on = 1;
  setsockopt(socket.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Moved outcome(ssize_t bytes) {
  if (bytes > 0) return {Flow::some, static_cast<std::size_t>(bytes), 0};
  if (bytes == 0) return {Flow::ended, 0, 0};
  if (errno == EAGAIN || errno == EWOULDBLOCK) return {Flow::later, 0, 0};
  return {Flow::broken, 0, errno};
}

template <class Call>
ssize_t uninterrupted(Call call) {
  ssize_t result = 0;
  do result = call();
  while (result < 0 && errno == EINTR);
  return result;
}

SocketAddress any_address(std::uint16_t port, bool v6) {
  SocketAddress any;
  if (v6) {
    auto* const address = reinterpret_cast<sockaddr_in6*>(&any.storage);
    address->sin6_family = AF_INET6;
    address->sin6_port = htons(port);
    any.size = sizeof *address;
  } else {
    auto* const address = reinterpret_cast<sockaddr_in*>(&any.storage);
    address->sin_family = AF_INET;
    address->sin_port = htons(port);
    any.size = sizeof *address;
  }
  return any;
}

// With SO_REUSEPORT a second listener would not be an error, and each of two servers would get half of the
// ranks.
bool somebody_listens(std::uint16_t port) {
  auto loopback = any_address(port, false);
  reinterpret_cast<sockaddr_in*>(&loopback.storage)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto connecting = start_connecting(loopback);
  if (connecting.error != 0) return false;
  const auto ready =
      wait_for(connecting.socket, Wish::write, Deadline::Clock::now() + loopback_timeout);
  return ready == Ready::too_late || connect_result(connecting.socket) == 0;
}

struct PortUse {
  bool v6 = true;     // for IPv4 as well
  bool held = false;  // by the launcher's agent, for the processes of this user
};

// Returns 0, or errno.
int try_to_listen(Socket& listener, std::uint16_t port, PortUse use) {
  const int family = use.v6 ? AF_INET6 : AF_INET;
  listener = Socket(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener) return errno;
  const int on = 1;
  const int off = 0;
  setsockopt(listener.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (use.held) setsockopt(listener.fd(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  if (use.v6) setsockopt(listener.fd(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  const auto at = any_address(port, use.v6);
  if (bind(listener.fd(), reinterpret_cast<const sockaddr*>(&at.storage), at.size) != 0) {
    return errno;
  }
  if (use.held && somebody_listens(port)) return EADDRINUSE;
  return listen(listener.fd(), backlog) == 0 ? 0 : errno;
}

int try_to_listen(Socket& listener, std::uint16_t port, bool held) {
  const int error = try_to_listen(listener, port, {.v6 = true, .held = held});
  // For a node without IPv6.
  const bool no_v6 = error == EAFNOSUPPORT || error == EADDRNOTAVAIL;
  return no_v6 ? try_to_listen(listener, port, {.v6 = false, .held = held}) : error;
}

}  // namespace

void Socket::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

std::string error_text(int error) {
  std::array<char, 256> text{};
  // GNU's version returns the text, which may not be in our buffer.
  return strerror_r(error, text.data(), text.size());
}

std::string host_of(const SocketAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = nullptr;
  if (address.storage.ss_family == AF_INET) {
    bytes = &reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_addr;
  } else {
    bytes = &reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_addr;
  }
  inet_ntop(address.storage.ss_family, bytes, text.data(), text.size());
  const std::string_view host = text.data();
  constexpr std::string_view mapped_v4 = "::ffff:";  // an IPv4 peer of a listener for both families
  const bool v4 = host.starts_with(mapped_v4) && host.find('.') != std::string_view::npos;
  return std::string{v4 ? host.substr(mapped_v4.size()) : host};
}

Moved receive(const Socket& socket, std::span<std::byte> into) {
  return outcome(uninterrupted([&] { return recv(socket.fd(), into.data(), into.size(), 0); }));
}

Moved send(const Socket& socket, View bytes) {
  return outcome(
      uninterrupted([&] { return ::send(socket.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL); }));
}

Moved send(const Socket& socket, std::span<iovec> parts) {
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  return outcome(uninterrupted([&] { return sendmsg(socket.fd(), &message, MSG_NOSIGNAL); }));
}

Socket listen_at(std::uint16_t port, const std::string& where_from) {
  Socket listener;
  int error = try_to_listen(listener, port, false);
  if (error == EADDRINUSE) error = try_to_listen(listener, port, true);
  if (error == 0) return listener;
  throw Error{MUSTER_ERR_TRANSPORT, "rank 0 cannot listen on port " + std::to_string(port) + " (" +
                                        where_from + "): " + error_text(error) +
                                        "; export MUSTER_EXCHANGE=ADDRESS:PORT with a free port "
                                        "on rank 0's node to every rank"};
}

Accepted accept_one(const Socket& listener) {
  Accepted result;
  result.from.size = sizeof result.from.storage;
  const auto fd = uninterrupted([&]() -> ssize_t {
    return accept4(listener.fd(), reinterpret_cast<sockaddr*>(&result.from.storage),
                   &result.from.size, SOCK_CLOEXEC | SOCK_NONBLOCK);
  });
  if (fd >= 0) {
    result.socket = Socket(static_cast<int>(fd));
    send_at_once(result.socket);
  } else if (errno != EAGAIN && errno != EWOULDBLOCK) {
    result.error = errno;
  }
  return result;
}

Socket renumbered(Socket socket, int lowest) {
  Socket other(fcntl(socket.fd(), F_DUPFD_CLOEXEC, lowest));
  return other ? std::move(other) : std::move(socket);
}

Connecting start_connecting(const SocketAddress& address) {
  Connecting result;
  result.socket =
      Socket(socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!result.socket) return {Socket(), errno};
  send_at_once(result.socket);
  if (connect(result.socket.fd(), reinterpret_cast<const sockaddr*>(&address.storage),
              address.size) != 0 &&
      errno != EINPROGRESS && errno != EINTR) {
    result.error = errno;
  }
  return result;
}

int connect_result(const Socket& socket) {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

int milliseconds_until(Deadline::Clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Deadline::Clock::now());
  return static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, INT_MAX));
}

Ready wait_for(const Socket& socket, Wish wish, Deadline::Clock::time_point until) {
  const int reading = wish == Wish::write ? 0 : POLLIN;
  const int writing = wish == Wish::read ? 0 : POLLOUT;
  pollfd poller{socket.fd(), static_cast<short>(reading | writing), 0};
  while (true) {
    const int ready = poll(&poller, 1, milliseconds_until(until));
    if (ready == 0) return Ready::too_late;
    if (ready < 0 && errno == EINTR) continue;
    // Reading or writing will report what is wrong.
    const bool readable = ready < 0 || (poller.revents & ~POLLOUT) != 0;
    return readable && reading != 0 ? Ready::readable : Ready::writable;
  }
}

}  // namespace muster::worker::tcp
