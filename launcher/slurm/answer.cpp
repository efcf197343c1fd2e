#include "launcher/slurm/answer.hpp"

#include "launcher/os/bounded_child.hpp"
#include "launcher/os/descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

namespace muster::slurm {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

int left_until(Clock::time_point deadline) {
  return static_cast<int>(
      std::max(std::chrono::ceil<milliseconds>(deadline - Clock::now()), milliseconds{0}).count());
}

Addresses addresses_of(const Node& node) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const auto port = fmt::to_string(node.port);
  if (getaddrinfo(node.address.c_str(), port.c_str(), &hints, &found) != 0) found = nullptr;
  return {found, &freeaddrinfo};
}

// Starts to connect to the first address of the node that has a route.
os::Descriptor begin_connecting(const Node& node) {
  const auto addresses = addresses_of(node);
  for (const auto* at = addresses.get(); at != nullptr; at = at->ai_next) {
    os::Descriptor connection(
        socket(at->ai_family, at->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, at->ai_protocol));
    if (!connection) continue;
    if (connect(connection.get(), at->ai_addr, at->ai_addrlen) == 0 || errno == EINPROGRESS) {
      return connection;
    }
  }
  return os::Descriptor();
}

bool is_connected(const os::Descriptor& connection) {
  int error = 0;
  socklen_t size = sizeof(error);
  return getsockopt(connection.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

// Returns one letter for each node: 'y' if it answered.
std::string ask_all(std::span<const Node> nodes, Clock::time_point deadline) {
  std::string answers(nodes.size(), 'n');
  std::vector<os::Descriptor> connections;
  std::vector<pollfd> pollers;
  for (const auto& node : nodes) {
    connections.push_back(begin_connecting(node));
    pollers.push_back({connections.back().get(), POLLOUT, 0});
  }
  const auto is_open = [](const pollfd& poller) { return poller.fd >= 0; };
  while (std::ranges::any_of(pollers, is_open)) {
    if (poll(pollers.data(), pollers.size(), left_until(deadline)) <= 0) break;
    for (std::size_t i = 0; i < pollers.size(); ++i) {
      if (pollers[i].fd < 0 || pollers[i].revents == 0) continue;
      if (is_connected(connections[i])) answers[i] = 'y';
      pollers[i].fd = -1;  // so that poll() skips it
    }
  }
  return answers;
}

// As many as the kernel permits: this process is a child that exits as soon as it has the answers.
std::size_t max_connections() {
  constexpr rlim_t few = 256;
  constexpr rlim_t others = 64;  // descriptors for streams and for the resolver
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return few;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < few + others) return few;
  return std::min<rlim_t>(limit.rlim_cur - others, 65536);
}

// In batches if there are more nodes than descriptors. Each batch gets its share of the time.
std::string ask_in_batches(std::span<const Node> nodes, Clock::time_point deadline) {
  const auto size = max_connections();
  std::string answers;
  while (answers.size() < nodes.size()) {
    const auto rest = nodes.subspan(answers.size());
    const auto batches = (rest.size() + size - 1) / size;
    const auto now = Clock::now();
    answers += ask_all(rest.first(std::min(size, rest.size())),
                       now + (deadline - now) / static_cast<int>(batches));
  }
  return answers;
}

}  // namespace

// In a child, because a name lookup has no deadline of its own.
std::vector<bool> answer(std::span<const Node> nodes, milliseconds timeout) {
  std::vector<bool> answering(nodes.size());
  if (nodes.empty()) return answering;
  constexpr milliseconds to_hand_over{100};
  const auto deadline = Clock::now() + std::max(timeout - to_hand_over, timeout / 2);
  const auto answers =
      os::answer_of_child([&] { return ask_in_batches(nodes, deadline); }, timeout);
  if (!answers || answers->size() != nodes.size()) return answering;
  for (std::size_t i = 0; i < nodes.size(); ++i) answering[i] = (*answers)[i] == 'y';
  return answering;
}

}  // namespace muster::slurm
