// A part of a session, under a deadline.
#pragma once

#include <exception>
#include <optional>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

namespace muster::channel {

// True if the work ends before the timer does; otherwise the work is cancelled, and has ended on
// return. The work must not throw.
asio::awaitable<bool> ends_before(asio::steady_timer& timer, asio::awaitable<void> work);

// Never throws: ends_before() waits for a side to succeed, and would wait for the deadline of a
// session that has failed.
template <class T>
asio::awaitable<void> keep(asio::awaitable<T> work, std::optional<T>& value,
                           std::exception_ptr& error) {
  try {
    value = co_await std::move(work);
  } catch (...) {
    error = std::current_exception();
  }
}

// The work's result, or nothing if the timer ends first. Rethrows at once what the work throws.
template <class T>
asio::awaitable<std::optional<T>> before(asio::steady_timer& timer, asio::awaitable<T> work) {
  std::optional<T> value;
  std::exception_ptr error;
  auto kept = keep(std::move(work), value, error);
  const bool in_time = co_await ends_before(timer, std::move(kept));
  if (!in_time) co_return std::nullopt;
  if (error) std::rethrow_exception(error);
  co_return std::move(value);
}

}  // namespace muster::channel
