// Both ways to ask a question: the blocking call simply runs the asynchronous one to its end. A session also
// begins with a question.
#include "launcher/channel/async_client.hpp"

#include "core/record/record.hpp"
#include "launcher/channel/connect_any.hpp"
#include "launcher/channel/message.hpp"
#include "launcher/channel/questions.hpp"
#include "launcher/channel/session.hpp"
#include "launcher/channel/stream.hpp"
#include "launcher/channel/timed.hpp"

#include <algorithm>
#include <utility>

#include <asio/buffer.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace muster::channel {
namespace {

using asio::ip::tcp;
using std::chrono::milliseconds;

constexpr milliseconds connect_timeout{2000};  // for all addresses together

// Sends the question and announces a text of this many bytes.
asio::awaitable<Proof> begin(tcp::socket& socket, const Client& client, std::string_view question,
                             std::size_t bytes, Client::Clock::time_point deadline) {
  socket.set_option(tcp::no_delay(true));
  Proof proof{.key = client.key, .mine = make_nonce(), .theirs = {}};
  // The challenge covers this nonce. Otherwise an attacker could connect to the supervisor, record its
  // challenge, listen on its port later, and receive this node's texts.
  co_await asio::async_write(socket, asio::buffer(proof.mine), asio::use_awaitable);
  proof.theirs = co_await receive_message(socket, proof, "challenge");
  const Ask ask{.node = client.node,
                .nodes = client.nodes,
                .timeout = std::chrono::ceil<milliseconds>(deadline - Client::Clock::now()),
                .bytes = bytes,
                .question = std::string(question)};
  auto message = record::write(ask);
  co_await send_message(socket, proof, "ask", std::move(message));
  co_return proof;
}

asio::awaitable<std::string> converse(tcp::socket& socket, const Client& client,
                                      const std::string& question, const std::string& text,
                                      Client::Clock::time_point deadline) {
  const auto proof = co_await begin(socket, client, question, text.size(), deadline);
  if (!text.empty()) co_await send_message(socket, proof, "text", text, text.size());
  co_return co_await receive_message(socket, proof, "answer", max_answer_bytes);
}

asio::awaitable<std::optional<std::string>> connect_and_ask(const Client& client,
                                                            const std::string& question,
                                                            const std::string& text,
                                                            Client::Clock::time_point deadline) {
  auto connected = co_await connect_any(endpoints_of(client.server), connect_timeout);
  if (!connected.socket) co_return std::nullopt;
  co_return co_await converse(*connected.socket, client, question, text, deadline);
}

using Opened = std::function<void(std::unique_ptr<Session>)>;
using Refused = std::function<void()>;

// The connection stays idle only while the user has stopped the supervisor. During that time nothing else
// would reveal that its host has died.
void watch_idle_connection(tcp::socket& socket) {
  constexpr int idle = 5;
  constexpr int interval = 5;
  constexpr int probes = 3;
  asio::error_code ignored;
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  for (const auto& [option, value] :
       {std::pair{TCP_KEEPIDLE, idle}, std::pair{TCP_KEEPINTVL, interval},
        std::pair{TCP_KEEPCNT, probes}}) {
    setsockopt(socket.native_handle(), IPPROTO_TCP, option, &value, sizeof value);
  }
}

asio::awaitable<std::unique_ptr<Session>> connect_session(const Client& client,
                                                          Client::Clock::time_point deadline,
                                                          const Refused& refused) {
  auto connected = co_await connect_any(endpoints_of(client.server), connect_timeout);
  if (!connected.socket) {
    const bool answers = std::ranges::count(connected.errors, asio::error::connection_refused) > 0;
    if (answers && refused) refused();
    co_return nullptr;
  }
  auto& socket = *connected.socket;
  watch_idle_connection(socket);
  auto proof = co_await begin(socket, client, watch_question, 0, deadline);
  co_return make_session(std::move(socket), std::move(proof), Side::node);
}

asio::awaitable<void> connect_session_before(Client client, Client::Clock::time_point deadline,
                                             Opened opened, Refused refused) {
  asio::steady_timer limit(co_await asio::this_coro::executor, deadline);
  std::unique_ptr<Session> session;
  try {
    auto connected = co_await before(limit, connect_session(client, deadline, refused));
    if (connected) session = std::move(*connected);
  } catch (const std::exception&) {
  }
  opened(std::move(session));
}

}  // namespace

void open_session(asio::io_context& io, const Client& client, milliseconds timeout, Opened opened,
                  Refused refused) {
  asio::co_spawn(io,
                 connect_session_before(client, Client::Clock::now() + timeout, std::move(opened),
                                        std::move(refused)),
                 asio::detached);
}

std::optional<std::string> Client::ask(const std::string& question, const std::string& text,
                                       Clock::time_point deadline) const {
  asio::io_context io{1};
  return run_to_end(io, async_ask(*this, question, text, deadline));
}

asio::awaitable<std::optional<std::string>> async_ask(Client client, std::string question,
                                                      std::string text,
                                                      Client::Clock::time_point deadline) {
  if (!client || text.size() > max_plan_bytes) co_return std::nullopt;
  asio::steady_timer limit(co_await asio::this_coro::executor, deadline);
  try {
    auto answer = co_await before(limit, connect_and_ask(client, question, text, deadline));
    if (answer) co_return std::move(*answer);
  } catch (const std::exception&) {
  }
  co_return std::nullopt;
}

}  // namespace muster::channel
