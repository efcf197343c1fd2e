#include "launcher/channel/control/client.hpp"

#include "launcher/channel/control/place.hpp"
#include "launcher/os/local_socket.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace muster::control {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A full queue counts as no answer.
os::Descriptor connect_to(const Place& place) {
  const auto directory = open_private(place.directory);
  if (!directory) return os::Descriptor();
  os::Descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!made) return os::Descriptor();
  const auto address = address_in(directory, place.socket);
  if (connect(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return os::peer_user(made) == geteuid() ? std::move(made) : os::Descriptor();
  }
  if (errno == ECONNREFUSED) unlinkat(directory.get(), place.socket.c_str(), 0);
  return os::Descriptor();
}

bool await(const os::Descriptor& socket, Clock::time_point deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
  pollfd wait{socket.get(), POLLIN, 0};
  return left.count() > 0 && poll(&wait, 1, static_cast<int>(left.count())) > 0;
}

}  // namespace

std::vector<Place> places(const Environment& environment, const std::string& host) {
  std::vector<Place> found;
  for (const auto& directory : directories(environment, host)) {
    // Another user may have made the one in /tmp, with anything in it.
    const auto opened = open_private(directory);
    if (!opened) continue;
    for (const auto& socket : sockets_in("/proc/self/fd/" + std::to_string(opened.get())))
      found.push_back({directory, socket});
  }
  return found;
}

Answer ask(const Place& place, const std::string& question, milliseconds timeout,
           std::size_t max_bytes) {
  const auto socket = connect_to(place);
  const auto line = "{\"ask\":\"" + question + "\"}\n";
  if (!socket) return {};
  const auto sent = send(socket.get(), line.data(), line.size(), MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(line.size())) return {.reached = true, .line = {}};
  const auto deadline = Clock::now() + timeout;
  std::string answer;
  while (await(socket, deadline) && answer.size() <= max_bytes) {
    std::array<char, 65536> part{};
    const auto size = recv(socket.get(), part.data(), part.size(), 0);
    if (size <= 0) break;
    answer.append(part.data(), static_cast<std::size_t>(size));
    if (answer.back() == '\n') {
      answer.pop_back();
      return {.reached = true, .line = std::move(answer)};
    }
  }
  return {.reached = true, .line = {}};
}

}  // namespace muster::control
