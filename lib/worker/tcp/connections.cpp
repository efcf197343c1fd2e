#include "worker/tcp/connections.hpp"

#include "worker/error.hpp"

#include <array>
#include <cerrno>

#include <sys/epoll.h>

namespace muster::worker::tcp {
namespace {

constexpr std::size_t max_events = 256;  // per wait

}  // namespace

Connections::Connections(std::uint32_t size)
    : poller_(epoll_create1(EPOLL_CLOEXEC)), by_rank_(size) {
  if (!poller_) {
    throw Error{MUSTER_ERR_TRANSPORT, "rank 0 cannot wait for the other ranks: epoll: " +
                                          error_text(errno) + "; close some files"};
  }
}

Connection* Connections::add(Accepted&& accepted, const Terms& terms, Time now) {
  const int fd = accepted.socket.fd();
  if (!watch(fd)) return nullptr;
  auto& entry = by_fd_[fd];
  entry = std::make_unique<Connection>(std::move(accepted), terms, now);
  return entry.get();
}

Connection* Connections::find(int fd) {
  const auto found = by_fd_.find(fd);
  return found == by_fd_.end() ? nullptr : found->second.get();
}

void Connections::remove(Connection& connection) {
  // A connection that claims another connection's rank, or a rank outside the step, has no slot.
  const auto rank = static_cast<std::size_t>(connection.rank);
  if (rank < by_rank_.size() && by_rank_[rank] == &connection) by_rank_[rank] = nullptr;
  by_fd_.erase(connection.socket.fd());  // closes the socket, and the poller then forgets it
}

void Connections::enter_as_rank(Connection& connection) {
  by_rank_[static_cast<std::size_t>(connection.rank)] = &connection;
  ++entered_;
}

bool Connections::watch(int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  return epoll_ctl(poller_.fd(), EPOLL_CTL_ADD, fd, &event) == 0;
}

void Connections::unwatch(int fd) {
  epoll_ctl(poller_.fd(), EPOLL_CTL_DEL, fd, nullptr);
}

std::vector<int> Connections::wait(Time until, const std::string& what) {
  std::array<epoll_event, max_events> events;
  const int ready = epoll_wait(poller_.fd(), events.data(), static_cast<int>(events.size()),
                               milliseconds_until(until));
  if (ready < 0 && errno != EINTR) {
    throw Error{MUSTER_ERR_TRANSPORT, what + ": rank 0 cannot wait: " + error_text(errno)};
  }
  std::vector<int> descriptors;
  for (int i = 0; i < ready; ++i) {
    descriptors.push_back(events[static_cast<std::size_t>(i)].data.fd);
  }
  return descriptors;
}

void Connections::send_to_ranks(View frame) {
  for (const auto& [fd, connection] : by_fd_) {
    if (connection->rank != unknown) send_sealed(*connection, frame);
  }
}

void send_sealed(Connection& connection, View frame) {
  const auto whole = Writer().raw(frame).raw(connection.session.seal({frame})).take();
  send(connection.socket, whole);
}

std::string rank_name(const Connection& connection) {
  return "rank " + std::to_string(connection.rank) +
         (connection.node.empty() ? "" : " (" + connection.node + ")");
}

}  // namespace muster::worker::tcp
