// A part of a conversation, under a deadline.
#pragma once

#include <exception>
#include <optional>
#include <utility>
#include <variant>

#include <asio/awaitable.hpp>
#include <asio/experimental/awaitable_operators.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

namespace muster::channel {

// A struct and not a variant, which asio's || would take apart.
template <class T>
struct Settled {
  std::optional<T> value;
  std::exception_ptr error;
};

// Never throws: asio's || waits for one side to succeed, and would sit out the deadline of a
// conversation that has failed.
template <class T>
asio::awaitable<Settled<T>> settled(asio::awaitable<T> work) {
  Settled<T> result;
  try {
    result.value = co_await std::move(work);
  } catch (...) {
    result.error = std::current_exception();
  }
  co_return result;
}

// What the work gives, or nothing when the timer ends first. Throws at once what the work throws.
template <class T>
asio::awaitable<std::optional<T>> before(asio::steady_timer& timer, asio::awaitable<T> work) {
  using namespace asio::experimental::awaitable_operators;
  auto first = co_await (settled(std::move(work)) || timer.async_wait(asio::use_awaitable));
  if (first.index() == 1) co_return std::nullopt;
  auto& result = std::get<0>(first);
  if (result.error) std::rethrow_exception(result.error);
  co_return std::move(result.value);
}

}  // namespace muster::channel
