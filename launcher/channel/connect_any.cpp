#include "launcher/channel/connect_any.hpp"

#include <deque>
#include <memory>

#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

namespace muster::channel {
namespace {

using asio::ip::tcp;
using std::chrono::milliseconds;

constexpr milliseconds head_start{30};

}  // namespace

// Not in the unnamed namespace, because the coroutine's frame, which contains it, has external linkage.
struct Try {
  tcp::socket socket;
  asio::steady_timer start;
};

// Shared with the handlers of the connections, which outlive it.
struct Race {
  explicit Race(const asio::any_io_executor& executor) : over(executor) {}

  void ended(std::size_t index, const asio::error_code& error) {
    if (!error && !result.socket) result.socket = std::move(tries[index].socket);
    result.errors[index] = error;
    if (--running == 0 || result.socket) over.cancel();
  }

  asio::steady_timer over;
  std::deque<Try> tries;
  std::size_t running = 0;
  Connected result;
};

namespace {

void begin(const std::shared_ptr<Race>& race, std::size_t index, const tcp::endpoint& endpoint) {
  auto& [socket, start] = race->tries[index];
  start.expires_after(head_start * index);
  start.async_wait([race, index, endpoint](asio::error_code stopped) {
    if (stopped) return;
    race->tries[index].socket.async_connect(
        endpoint, [race, index](asio::error_code error) { race->ended(index, error); });
  });
}

}  // namespace

std::vector<tcp::endpoint> endpoints_of(const Address& server) {
  std::vector<tcp::endpoint> endpoints;
  for (const auto& text : server.addresses) {
    asio::error_code not_numeric;
    const auto address = asio::ip::make_address(text, not_numeric);
    if (!not_numeric) endpoints.emplace_back(address, server.port);
  }
  return endpoints;
}

asio::awaitable<Connected> connect_any(std::vector<tcp::endpoint> endpoints, milliseconds timeout) {
  const auto executor = co_await asio::this_coro::executor;
  const auto race = std::make_shared<Race>(executor);
  race->running = endpoints.size();
  race->result.errors.assign(endpoints.size(), asio::error::timed_out);
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    race->tries.push_back({tcp::socket(executor), asio::steady_timer(executor)});
    begin(race, i, endpoints[i]);
  }
  if (!endpoints.empty()) {
    asio::error_code ignored;
    race->over.expires_after(timeout);
    co_await race->over.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  auto result = std::move(race->result);
  race->result.socket.reset();
  race->result.errors.assign(endpoints.size(), {});
  for (auto& each : race->tries) {
    each.start.cancel();
    asio::error_code ignored;
    each.socket.close(ignored);
  }
  co_return result;
}

}  // namespace muster::channel
