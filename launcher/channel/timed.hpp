// Runs a part of a session under a deadline.
#pragma once

#include <exception>
#include <optional>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

namespace muster::channel {

// True if the work ends before the timer does. Otherwise cancels the work, which has ended by the time this
// returns. The work must not throw.
asio::awaitable<bool> ends_before(asio::steady_timer& timer, asio::awaitable<void> work);

// Never throws: ends_before() waits for one side to succeed, and would wait until the deadline of a session
// that has failed.
template <class T>
asio::awaitable<void> keep(asio::awaitable<T> work, std::optional<T>& value,
                           std::exception_ptr& error) {
  try {
    value = co_await std::move(work);
  } catch (...) {
    error = std::current_exception();
  }
}

// Runs the work to its end in this thread only: asio::use_future would start as many threads as the machine
// has CPUs. Returns or throws what the work does.
template <class T>
T run_to_end(asio::io_context& io, asio::awaitable<T> work) {
  std::optional<T> value;
  std::exception_ptr error;
  asio::co_spawn(io, keep(std::move(work), value, error), asio::detached);
  io.run();
  if (error) std::rethrow_exception(error);
  return std::move(value.value());
}

// The work's result, or no value if the timer ends first. Immediately rethrows whatever the work throws.
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
