#include "launcher/agent/rendezvous/reception.hpp"

#include "launcher/channel/timed.hpp"

#include <utility>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>

namespace muster::rendezvous {
namespace {

using asio::ip::tcp;

constexpr std::chrono::seconds hello_timeout{5};
constexpr std::chrono::milliseconds accept_interval{20};
constexpr std::chrono::milliseconds room_interval{2};
constexpr std::chrono::milliseconds eviction_age{500};  // even a busy member needs less

}  // namespace

Reception::Reception(asio::io_context& io, const secret::Key& key, std::size_t nodes, Attend attend)
    : io_(io), key_(key), nodes_(nodes), attend_(std::move(attend)), acceptor_(io) {}

void Reception::open(os::Descriptor listener) {
  // The protocol only matters for the address that accept returns, which is read from the socket later.
  acceptor_.assign(tcp::v6(), listener.release());
  asio::co_spawn(io_, accept_members(), asio::detached);
}

void Reception::close() {
  std::error_code ignored;
  acceptor_.close(ignored);
}

asio::awaitable<void> Reception::accept_members() {
  while (acceptor_.is_open()) {
    co_await wait_for_room();
    std::error_code failed;
    auto socket =
        co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, failed));
    if (failed == asio::error::operation_aborted) co_return;
    if (failed) {
      // Probably out of descriptors: open connections will end and free some, and members are
      // waiting.
      asio::steady_timer interval(io_, accept_interval);
      co_await interval.async_wait(asio::use_awaitable);
      continue;
    }
    asio::co_spawn(io_, receive(std::move(socket)), asio::detached);
  }
}

// An unauthenticated peer can only end its own connection.
asio::awaitable<void> Reception::receive(tcp::socket socket) {
  const auto session = std::make_shared<Session>(std::move(socket), key_);
  const auto hello = co_await authenticate(session);
  if (!hello) co_return;
  ++attended_;
  try {
    co_await attend_(session, *hello);
  } catch (const std::exception&) {
  }
  --attended_;
}

// In the meantime, the kernel queues the connections.
asio::awaitable<void> Reception::wait_for_room() {
  asio::steady_timer timer(io_);
  while (acceptor_.is_open() && attended_ >= expected_ + passing_) {
    timer.expires_after(room_interval);
    co_await timer.async_wait(asio::use_awaitable);
  }
  while (acceptor_.is_open() && unauthenticated_.size() >= passing_) {
    evict();
    timer.expires_after(room_interval);
    co_await timer.async_wait(asio::use_awaitable);
  }
}

void Reception::evict() {
  const auto latest = std::chrono::steady_clock::now() - eviction_age;
  for (const auto& [session, since] : unauthenticated_) {
    std::error_code ignored;
    if (since <= latest) session->socket.close(ignored);
  }
}

asio::awaitable<std::optional<Hello>> Reception::authenticate(std::shared_ptr<Session> session) {
  const auto position =
      unauthenticated_.insert(unauthenticated_.end(), {session, std::chrono::steady_clock::now()});
  std::optional<Hello> hello;
  try {
    asio::steady_timer limit(io_, hello_timeout);
    hello = co_await channel::before(limit, receive_hello(*session, nodes_));
  } catch (const std::exception&) {
  }
  unauthenticated_.erase(position);
  co_return hello;
}

}  // namespace muster::rendezvous
