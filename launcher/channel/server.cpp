#include "launcher/channel/server.hpp"

#include "core/record/record.hpp"
#include "launcher/channel/message.hpp"
#include "launcher/channel/stream.hpp"
#include "launcher/channel/timed.hpp"
#include "launcher/os/interfaces.hpp"
#include "launcher/os/open_files.hpp"

#include <algorithm>
#include <atomic>
#include <list>
#include <thread>

#include <asio/buffer.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/read.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <fcntl.h>

namespace muster::channel {
namespace {

using asio::ip::tcp;
using std::chrono::milliseconds;

constexpr milliseconds accept_interval{20};

}  // namespace

// A client's connection, and its answer once there is one.
//
// Not in the unnamed namespace, because the coroutines' frames, which contain it, have external linkage.
struct Connection {
  Connection(tcp::socket connection, const secret::Key& key)
      : socket(std::move(connection)), answered(socket.get_executor()) {
    proof.key = key;
    fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
    socket.set_option(tcp::no_delay(true));
  }

  bool take(const std::string& text) {
    if (gone || answer) return false;
    answer = text;
    answered.cancel();
    return true;
  }

  tcp::socket socket;
  asio::steady_timer answered;
  Proof proof;
  std::optional<std::string> answer;
  bool gone = false;
};

namespace {

// Adds one to a count until it is destroyed.
using Place = std::shared_ptr<void>;

Place counted(std::size_t& count) {
  ++count;
  return {&count, [](std::size_t* counter) { --*counter; }};
}

// The number of sessions that fit into this many descriptors: questions and this process itself need some
// as well.
std::size_t sessions_of(std::size_t descriptors) {
  constexpr std::size_t others = 512;
  return std::max(descriptors, 2 * others) - others;
}

}  // namespace

class Server::Loop {
 public:
  Loop(const secret::Key& key, const std::optional<option::PortRange>& ports,
       Questions::TakePlans take_plans, Questions::TakeNotice take_notice, const Limits& limits,
       std::shared_ptr<SessionHandler> sessions)
      : sessions_(std::move(sessions)),
        key_(key),
        limits_(limits),
        questions_(std::move(take_plans), std::move(take_notice)),
        listener_(listen(ports)),
        acceptor_(io_) {}

  ~Loop() {
    io_.stop();
    if (thread_.joinable()) thread_.join();
    if (started_ && sessions_) sessions_->stop();
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  [[nodiscard]] std::uint16_t port() const { return listener_.port; }
  [[nodiscard]] bool reached() const { return reached_; }

  void start() {
    if (!listener_.socket) return;
    max_sessions_ = std::min(limits_.sessions, sessions_of(os::allow_many_sockets()));
    started_ = true;
    if (sessions_) sessions_->start(io_);
    acceptor_.assign(listener_.v6 ? tcp::v6() : tcp::v4(), listener_.socket.release());
    asio::co_spawn(io_, accept_connections(), asio::detached);
    thread_ = std::thread([this] {
      try {
        io_.run();
      } catch (const std::exception&) {
        // Whatever went wrong, questions remain unanswered from here on.
      }
    });
  }

 private:
  using Unproven = std::list<std::shared_ptr<Connection>>;

  asio::awaitable<void> accept_connections() {
    while (true) {
      std::error_code failed;
      auto socket =
          co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, failed));
      if (failed || connections_ >= limits_.connections) {
        // Probably out of descriptors: open connections will end and free some.
        asio::steady_timer interval(io_, accept_interval);
        co_await interval.async_wait(asio::use_awaitable);
        continue;
      }
      asio::co_spawn(io_, receive(std::move(socket)), asio::detached);
    }
  }

  asio::awaitable<void> receive(tcp::socket socket) {
    auto place = counted(connections_);
    try {
      const auto connection = std::make_shared<Connection>(std::move(socket), key_);
      co_await attend(connection, place);
      // The connection may still be referenced by a question whose answer is no longer awaited.
      std::error_code ignored;
      connection->socket.close(ignored);
    } catch (const std::exception&) {
      // An unauthenticated peer, or a node that disappeared: only its own connection ends.
    }
  }

  asio::awaitable<void> attend(std::shared_ptr<Connection> connection, Place& place) {
    auto asked = co_await prove(connection);
    if (!asked) co_return;
    reached_ = true;
    Question question{
        .name = asked->question, .node = asked->node, .nodes = asked->nodes, .text = {}};
    if (question.name == watch_question) {
      hand_over(*connection, question, std::move(place));
      co_return;
    }
    asio::steady_timer limit(io_, std::min(asked->timeout, limits_.question_timeout));
    const auto wanted = questions_.admit(question.name, asked->bytes);
    if (wanted == Questions::Text::refused) co_return;
    if (asked->bytes > 0) {
      const bool keep = wanted == Questions::Text::wanted;
      auto text = co_await before(limit, receive_text(connection, asked->bytes, keep));
      if (!text) co_return;
      question.text = std::move(*text);
    }
    questions_.ask(std::move(question),
                   [connection](const auto& text) { return connection->take(text); });
    co_await answer(connection, limit.expiry());
  }

  void hand_over(Connection& connection, const Question& question, Place place) {
    if (!sessions_ || session_count_ >= max_sessions_) return;
    const auto both =
        std::make_shared<std::pair<Place, Place>>(std::move(place), counted(session_count_));
    sessions_->opened(
        make_session(std::move(connection.socket), connection.proof, Side::supervisor, both),
        question.node, question.nodes);
  }

  // The peer's question, once the peer has proved that it belongs to the step.
  asio::awaitable<std::optional<Ask>> prove(std::shared_ptr<Connection> connection) {
    const auto address = unauthenticated_.insert(unauthenticated_.end(), connection);
    if (unauthenticated_.size() > limits_.unauthenticated) {
      std::error_code ignored;
      unauthenticated_.front()->socket.close(ignored);
    }
    std::optional<Ask> asked;
    try {
      asio::steady_timer limit(io_, limits_.first_message_timeout);
      asked = co_await before(limit, hear(connection));
    } catch (const std::exception&) {
    }
    unauthenticated_.erase(address);
    co_return asked;
  }

  static asio::awaitable<Ask> hear(std::shared_ptr<Connection> connection) {
    auto& [socket, answered, proof, answer, gone] = *connection;
    proof.theirs.resize(nonce_bytes);
    co_await asio::async_read(socket, asio::buffer(proof.theirs), asio::use_awaitable);
    proof.mine = make_nonce();
    co_await send_message(socket, proof, "challenge", proof.mine);
    const auto text = co_await receive_message(socket, proof, "ask");
    auto ask = record::read<Ask>(text);
    if (!ask) throw Unauthenticated("a malformed question");
    co_return std::move(*ask);
  }

  // An answer sent while a text is still arriving would be lost with the connection.
  static asio::awaitable<std::string> receive_text(std::shared_ptr<Connection> connection,
                                                   std::size_t bytes, bool keep) {
    if (keep)
      co_return co_await receive_message(connection->socket, connection->proof, "text", bytes);
    co_await skip_message(connection->socket, bytes);
    co_return std::string();
  }

  asio::awaitable<void> answer(std::shared_ptr<Connection> connection,
                               asio::steady_timer::time_point deadline) {
    if (!connection->answer) {
      // A client sends nothing more: if the socket becomes readable, the connection has ended.
      connection->socket.async_wait(tcp::socket::wait_read, [connection](std::error_code) {
        connection->gone = true;
        connection->answered.cancel();
      });
      std::error_code ignored;
      connection->answered.expires_at(deadline);
      co_await connection->answered.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    connection->gone = true;  // too late for another answer
    if (!connection->answer) co_return;
    asio::steady_timer limit(io_, limits_.answer_timeout);
    co_await before(limit, send_answer(connection));
  }

  static asio::awaitable<bool> send_answer(std::shared_ptr<Connection> connection) {
    co_await send_message(connection->socket, connection->proof, "answer", *connection->answer,
                          max_answer_bytes);
    co_return true;
  }

  std::size_t connections_ = 0;
  std::size_t session_count_ = 0;  // how many of the connections are sessions
  std::size_t max_sessions_ = 0;
  std::shared_ptr<SessionHandler> sessions_;
  bool started_ = false;
  std::atomic<bool> reached_ = false;
  // Declared first so that it is destroyed last: it owns what the coroutines hold.
  asio::io_context io_{1};
  secret::Key key_;
  Limits limits_;
  Questions questions_;
  Listener listener_;
  tcp::acceptor acceptor_;
  Unproven unauthenticated_;
  std::thread thread_;
};

Server::Server(const secret::Key& key, const std::optional<option::PortRange>& ports,
               Questions::TakePlans take_plans, Questions::TakeNotice take_notice,
               const Limits& limits, std::shared_ptr<SessionHandler> sessions)
    : loop_(std::make_unique<Loop>(key, ports, std::move(take_plans), std::move(take_notice),
                                   limits, std::move(sessions))) {}

Server::~Server() = default;

Address Server::address() const {
  if (loop_->port() == 0) return {};
  Address address{.port = loop_->port(), .addresses = {}};
  for (const auto& interface : os::interfaces()) {
    if (interface.address.is_loopback()) continue;
    if (address.addresses.size() < max_addresses) {
      address.addresses.push_back(interface.address.to_string());
    }
  }
  return address;
}

bool Server::reached() const {
  return loop_->reached();
}

void Server::start() {
  loop_->start();
}

}  // namespace muster::channel
