#include "launcher/channel/timed.hpp"

#include <asio/experimental/awaitable_operators.hpp>
#include <asio/use_awaitable.hpp>

namespace muster::channel {

asio::awaitable<bool> ends_before(asio::steady_timer& timer, asio::awaitable<void> work) {
  using namespace asio::experimental::awaitable_operators;
  const auto first = co_await (std::move(work) || timer.async_wait(asio::use_awaitable));
  co_return first.index() == 0;
}

}  // namespace muster::channel
