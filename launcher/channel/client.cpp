#include "launcher/channel/client.hpp"

#include "launcher/channel/connect_any.hpp"
#include "launcher/channel/message.hpp"
#include "launcher/channel/questions.hpp"
#include "launcher/channel/timed.hpp"

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_future.hpp>
#include <fmt/format.h>

namespace muster::channel {
namespace {

using asio::ip::tcp;
using std::chrono::milliseconds;

constexpr milliseconds patience{2000};  // for a connection to any of the addresses

std::vector<tcp::endpoint> endpoints_of(const Place& place) {
  std::vector<tcp::endpoint> endpoints;
  for (const auto& text : place.addresses) {
    asio::error_code not_numeric;
    const auto address = asio::ip::make_address(text, not_numeric);
    if (!not_numeric) endpoints.emplace_back(address, place.port);
  }
  return endpoints;
}

}  // namespace

std::optional<std::string> Caller::ask(const std::string& question, const std::string& text,
                                       Clock::time_point deadline) const {
  asio::io_context io{1};
  auto answer = asio::co_spawn(io, async_ask(question, text, deadline), asio::use_future);
  io.run();
  return answer.get();
}

asio::awaitable<std::optional<std::string>> Caller::async_ask(std::string question,
                                                              std::string text,
                                                              Clock::time_point deadline) const {
  if (!place_ || text.size() > most_plan_bytes) co_return std::nullopt;
  asio::steady_timer limit(co_await asio::this_coro::executor, deadline);
  try {
    auto answer = co_await before(limit, converse(std::move(question), std::move(text), deadline));
    if (answer) co_return std::move(*answer);
  } catch (const std::exception&) {
  }
  co_return std::nullopt;
}

asio::awaitable<std::optional<std::string>> Caller::converse(std::string question, std::string text,
                                                             Clock::time_point deadline) const {
  auto connected = co_await connect_any(endpoints_of(place_), patience);
  if (!connected.socket) co_return std::nullopt;
  auto& socket = *connected.socket;
  socket.set_option(tcp::no_delay(true));
  Proof proof{.key = key_, .mine = {}, .theirs = {}};
  proof.theirs = co_await receive_message(socket, proof, "challenge");
  proof.mine = make_nonce();
  const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
  const auto ask = fmt::format("{}{} {} {} {} {}", proof.mine, node_, nodes_, std::max(left, {}),
                               text.size(), question);
  co_await send_message(socket, proof, "ask", ask);
  if (!text.empty()) co_await send_message(socket, proof, "text", text, text.size());
  co_return co_await receive_message(socket, proof, "answer", max_answer_bytes);
}

}  // namespace muster::channel
