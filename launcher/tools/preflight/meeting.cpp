#include "launcher/tools/preflight/meeting.hpp"

#include "core/error.hpp"
#include "launcher/channel/connect_any.hpp"
#include "launcher/channel/timed.hpp"

#include <utility>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <fcntl.h>
#include <fmt/format.h>

namespace muster::preflight {
namespace {

using asio::ip::tcp;
using channel::Proof;
using std::chrono::milliseconds;

using Joined = std::pair<tcp::socket, Proof>;

asio::awaitable<Joined> join(const TestOrder& order, const secret::Key& key, milliseconds timeout) {
  auto connected = co_await channel::connect_any(channel::endpoints_of(order.partner), timeout);
  if (!connected.socket) {
    throw Error(fmt::format("cannot connect{}{}", connected.errors.empty() ? "" : ": ",
                            connected.errors.empty() ? "" : connected.errors.front().message()));
  }
  auto& socket = *connected.socket;
  socket.set_option(tcp::no_delay(true));
  Proof proof{.key = key, .mine = {}, .theirs = {}};
  proof.theirs = co_await channel::receive_message(socket, proof, "preflight challenge");
  proof.mine = channel::make_nonce();
  co_await channel::send_message(socket, proof, "preflight test",
                                 proof.mine + fmt::to_string(order.number));
  co_await channel::receive_message(socket, proof, "preflight welcome");
  co_return Joined(std::move(socket), std::move(proof));
}

asio::awaitable<Joined> join_before(const TestOrder& order, const secret::Key& key,
                                    milliseconds timeout) {
  asio::steady_timer limit(co_await asio::this_coro::executor, timeout);
  auto joined = co_await channel::before(limit, join(order, key, timeout));
  if (!joined) throw Error(fmt::format("no answer within {} ms", timeout.count()));
  co_return std::move(*joined);
}

// Accepts the first connection that proves the key and belongs to this test. A few connections may be
// unproven at the same time.
class Door : public std::enable_shared_from_this<Door> {
 public:
  Door(asio::io_context& io, tcp::acceptor acceptor, const secret::Key& key, std::uint32_t test,
       milliseconds timeout)
      : io_(io),
        acceptor_(std::move(acceptor)),
        key_(key),
        test_(fmt::to_string(test)),
        timeout_(timeout) {}

  asio::awaitable<void> open() {
    while (!found_) {
      std::error_code failed;
      auto socket =
          co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, failed));
      if (failed) co_return;
      if (strangers_ >= max_strangers) continue;  // closes it
      asio::co_spawn(io_, hear(shared_from_this(), std::move(socket)), asio::detached);
    }
  }

  std::optional<Joined> take() {
    std::error_code ignored;
    acceptor_.close(ignored);
    return std::move(found_);
  }

 private:
  static asio::awaitable<void> hear(std::shared_ptr<Door> door, tcp::socket socket) {
    ++door->strangers_;
    try {
      asio::steady_timer limit(door->io_, door->timeout_);
      auto joined = co_await channel::before(limit, door->prove(std::move(socket)));
      if (joined && !door->found_) {
        door->found_ = std::move(*joined);
        door->io_.stop();
      }
    } catch (const std::exception&) {
      // It was a stranger, or a partner from an earlier test.
    }
    --door->strangers_;
  }

  asio::awaitable<Joined> prove(tcp::socket socket) {
    socket.set_option(tcp::no_delay(true));
    Proof proof{.key = key_, .mine = channel::make_nonce(), .theirs = {}};
    co_await channel::send_message(socket, proof, "preflight challenge", proof.mine);
    const auto text = co_await channel::receive_message(socket, proof, "preflight test");
    if (text.size() < channel::nonce_bytes || text.substr(channel::nonce_bytes) != test_)
      throw channel::Unauthenticated("of another test");
    proof.theirs = text.substr(0, channel::nonce_bytes);
    co_await channel::send_message(socket, proof, "preflight welcome", "");
    co_return Joined(std::move(socket), std::move(proof));
  }

  asio::io_context& io_;
  tcp::acceptor acceptor_;
  const secret::Key key_;
  const std::string test_;
  const milliseconds timeout_;
  std::size_t strangers_ = 0;
  std::optional<Joined> found_;
};

}  // namespace

Meeting connect_to(const TestOrder& order, const secret::Key& key, milliseconds timeout) {
  Meeting meeting{std::make_unique<asio::io_context>(1), {}, {}};
  try {
    auto [socket, proof] = channel::run_to_end(*meeting.io, join_before(order, key, timeout));
    meeting.socket = std::move(socket);
    meeting.proof = std::move(proof);
  } catch (const std::system_error& error) {
    throw Error(error.code().message());
  } catch (const channel::Unauthenticated&) {
    throw Error("another program answers on its port");
  }
  return meeting;
}

Meeting accept_on(const os::Descriptor& listener, bool v6, const TestOrder& order,
                  const secret::Key& key, milliseconds timeout) {
  asio::io_context io{1};
  const int own = fcntl(listener.get(), F_DUPFD_CLOEXEC, 0);
  if (own < 0) throw Error("too many open files");
  auto door = std::make_shared<Door>(io, tcp::acceptor(io, v6 ? tcp::v6() : tcp::v4(), own), key,
                                     order.number, timeout);
  asio::co_spawn(
      io, [door]() -> asio::awaitable<void> { co_await door->open(); }, asio::detached);
  io.run_for(timeout);
  auto found = door->take();
  if (!found) throw Error(fmt::format("nobody connected within {} ms", timeout.count()));
  // Strangers that have not timed out yet end with the door's io_context.
  Meeting meeting{std::make_unique<asio::io_context>(1), {}, std::move(found->second)};
  const auto protocol = found->first.local_endpoint().protocol();
  meeting.socket.emplace(*meeting.io, protocol, found->first.release());
  return meeting;
}

}  // namespace muster::preflight
