#include "launcher/agent/store/server.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>

namespace muster::store {
namespace {

constexpr std::size_t read_bytes = std::size_t{64} << 10;
constexpr std::size_t max_complaints = 3;
constexpr std::chrono::milliseconds accept_pause{200};

asio::ip::tcp protocol_of(int socket) {
  int domain = AF_INET;
  socklen_t size = sizeof domain;
  getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size);
  return domain == AF_INET6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4();
}

// Each client needs a descriptor, and the usual limit is 1024. The ranks' own limit does not change.
void allow_many_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Server::Server(asio::io_context& io, os::Descriptor listener, Complain complain,
               const ServerLimits& limits)
    : limits_(limits),
      complain_(std::move(complain)),
      acceptor_(io),
      pause_(io),
      store_(limits.requests),
      buffer_(read_bytes) {
  allow_many_descriptors();
  acceptor_.assign(protocol_of(listener.get()), listener.get());
  listener.release();
  acceptor_.non_blocking(true);
  accept();
}

Server::~Server() {
  close();
}

void Server::close() {
  std::error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
  connections_.clear();
}

void Server::accept() {
  acceptor_.async_accept([this](std::error_code error, asio::ip::tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) {
      accepted(std::move(socket));
      accept();
      return;
    }
    if (error == asio::error::connection_aborted || evict_silent_client()) {
      accept();
      return;
    }
    pause_.expires_after(accept_pause);  // no descriptor is left
    pause_.async_wait([this](std::error_code cancelled) {
      if (!cancelled) accept();
    });
  });
}

void Server::accepted(asio::ip::tcp::socket socket) {
  if (connections_.size() >= limits_.connections && !evict_silent_client()) return;
  const auto client = next_client_++;
  const auto added =
      connections_.try_emplace(client, Peer{Connection(std::move(socket), limits_.requests)});
  ++silent_[added.first->second.connection.peer()];
  await_bytes(client);
}

void Server::await_bytes(Client client) {
  connections_.at(client).connection.socket().async_wait(
      asio::ip::tcp::socket::wait_read, [this, client](std::error_code error) {
        if (!error && connections_.contains(client)) serve(client);
      });
}

void Server::await_room(Client client) {
  auto& peer = connections_.at(client);
  if (std::exchange(peer.awaits_room, true)) return;
  peer.connection.socket().async_wait(asio::ip::tcp::socket::wait_write,
                                      [this, client](std::error_code error) {
                                        if (error || !connections_.contains(client)) return;
                                        connections_.at(client).awaits_room = false;
                                        send({client, {}});
                                      });
}

// One buffer at a time, so that a client that sends much does not hold up the others.
void Server::serve(Client client) {
  auto& connection = connections_.at(client).connection;
  const bool spoke = connection.has_spoken();
  const auto received = connection.receive(buffer_);
  if (!received) {
    forget(client);
    return;
  }
  if (!spoke && connection.has_spoken()) no_longer_silent(connection.peer());
  try {
    carry_out(client);
  } catch (const Error& error) {
    disconnect(client, error.what());
  }
  if (connections_.contains(client)) await_bytes(client);
}

// A reply may end the client's own connection.
void Server::carry_out(Client client) {
  auto& connection = connections_.at(client).connection;
  while (const auto request = connection.reader().next(old_dialect(connection))) {
    const auto outcome = store_.carry_out(client, *request);
    for (const auto& reply : outcome.replies) send(reply);
    if (!connections_.contains(client)) return;
    if (!outcome.refusal.empty()) throw Error(outcome.refusal);
  }
  count(client);
}

void Server::send(const Reply& reply) {
  const auto found = connections_.find(reply.client);
  if (found == connections_.end()) return;
  if (!found->second.connection.send(reply.bytes)) {
    forget(reply.client);
    return;
  }
  if (found->second.connection.has_rest()) await_room(reply.client);
  count(reply.client);
}

void Server::count(Client client) {
  auto& peer = connections_.at(client);
  buffered_ -= std::exchange(peer.counted, peer.connection.bytes());
  buffered_ += peer.counted;
  if (buffered_ > limits_.buffered_bytes && peer.counted > 0)
    disconnect(client, fmt::format("more than {} bytes of unsent replies and incomplete requests",
                                   limits_.buffered_bytes));
}

void Server::disconnect(Client client, const std::string& why) {
  if (complaints_++ < max_complaints)
    complain_(fmt::format("the store has disconnected a client at {}: {}",
                          connections_.at(client).connection.peer().to_string(), why));
  forget(client);
}

void Server::forget(Client client) {
  const auto found = connections_.find(client);
  buffered_ -= found->second.counted;
  if (!found->second.connection.has_spoken()) no_longer_silent(found->second.connection.peer());
  connections_.erase(found);
  store_.leave(client);
}

// Strangers must not keep the ranks out.
bool Server::evict_silent_client() {
  const auto silent = std::ranges::find_if(
      connections_, [](const auto& each) { return !each.second.connection.has_spoken(); });
  if (silent == connections_.end()) return false;
  forget(silent->first);
  return true;
}

void Server::no_longer_silent(const asio::ip::address& peer) {
  const auto found = silent_.find(peer);
  if (--found->second == 0) silent_.erase(found);
}

// Up to 2.0, each client of torch has a second connection, on which it says nothing unless it watches a
// key.
Dialect Server::old_dialect(const Connection& connection) const {
  return silent_.contains(connection.peer()) ? Dialect::up_to_2_0 : Dialect::of_2_1;
}

}  // namespace muster::store
