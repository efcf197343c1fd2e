#include "launcher/channel/server.hpp"

#include "launcher/channel/message.hpp"
#include "launcher/channel/timed.hpp"
#include "launcher/os/interfaces.hpp"
#include "launcher/os/open_files.hpp"

#include <algorithm>
#include <list>
#include <sstream>
#include <thread>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <fcntl.h>

namespace muster::channel {
namespace {

using asio::ip::tcp;
using std::chrono::milliseconds;

constexpr milliseconds accept_pause{20};

struct Asked {
  Question question;
  milliseconds patience{0};
  std::size_t bytes = 0;
};

Asked parse_ask(const std::string& text) {
  Asked asked;
  std::istringstream words(text);
  std::uint64_t patience = 0;
  words >> asked.question.node >> asked.question.nodes >> patience >> asked.bytes >>
      asked.question.name;
  if (!words) throw Stranger("a question that is none");
  asked.patience = milliseconds(std::min<std::uint64_t>(patience, milliseconds::max().count()));
  return asked;
}

// A caller's connection, and its answer once there is one.
struct Visit {
  Visit(tcp::socket connection, const StepKey& key)
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

}  // namespace

class Server::Hearing {
 public:
  Hearing(const StepKey& key, const std::optional<PortRange>& ports, Board::TakePlans take_plans,
          Board::TakeNotice take_notice, const Limits& limits)
      : key_(key),
        limits_(limits),
        board_(std::move(take_plans), std::move(take_notice)),
        listener_(listen(ports)),
        acceptor_(io_) {}

  ~Hearing() {
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }
  Hearing(const Hearing&) = delete;
  Hearing& operator=(const Hearing&) = delete;

  [[nodiscard]] std::uint16_t port() const { return listener_.port; }

  void start() {
    if (!listener_.socket) return;
    allow_many_sockets();
    acceptor_.assign(listener_.v6 ? tcp::v6() : tcp::v4(), listener_.socket.release());
    asio::co_spawn(io_, accept_visits(), asio::detached);
    thread_ = std::thread([this] {
      try {
        io_.run();
      } catch (const std::exception&) {
        // Whatever it was: from here on answers are missing.
      }
    });
  }

 private:
  using Unproven = std::list<std::shared_ptr<Visit>>;

  asio::awaitable<void> accept_visits() {
    while (true) {
      std::error_code failed;
      auto socket =
          co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, failed));
      if (failed || connections_ >= limits_.connections) {
        // Out of descriptors, most likely: what is open goes away.
        asio::steady_timer pause(io_, accept_pause);
        co_await pause.async_wait(asio::use_awaitable);
        continue;
      }
      asio::co_spawn(io_, receive(std::move(socket)), asio::detached);
    }
  }

  asio::awaitable<void> receive(tcp::socket socket) {
    ++connections_;
    try {
      const auto visit = std::make_shared<Visit>(std::move(socket), key_);
      co_await attend(visit);
      // The board may keep the visit for an answer that nobody waits for any more.
      std::error_code ignored;
      visit->socket.close(ignored);
    } catch (const std::exception&) {
      // A stranger, or a node that went away: it ends only its own conversation.
    }
    --connections_;
  }

  asio::awaitable<void> attend(std::shared_ptr<Visit> visit) {
    auto asked = co_await prove(visit);
    if (!asked) co_return;
    asio::steady_timer limit(io_, std::min(asked->patience, limits_.question));
    const auto wanted = board_.admit(asked->question.name, asked->bytes);
    if (wanted == Board::Text::refused) co_return;
    if (asked->bytes > 0) {
      const bool keep = wanted == Board::Text::wanted;
      auto text = co_await before(limit, receive_text(visit, asked->bytes, keep));
      if (!text) co_return;
      asked->question.text = std::move(*text);
    }
    board_.ask(std::move(asked->question), [visit](const auto& text) { return visit->take(text); });
    co_await answer(visit, limit.expiry());
  }

  // Its question, once it has proved that it belongs to the step.
  asio::awaitable<std::optional<Asked>> prove(std::shared_ptr<Visit> visit) {
    const auto place = unproven_.insert(unproven_.end(), visit);
    if (unproven_.size() > limits_.unproven) {
      std::error_code ignored;
      unproven_.front()->socket.close(ignored);
    }
    std::optional<Asked> asked;
    try {
      asio::steady_timer limit(io_, limits_.first_word);
      asked = co_await before(limit, hear(visit));
    } catch (const std::exception&) {
    }
    unproven_.erase(place);
    co_return asked;
  }

  static asio::awaitable<Asked> hear(std::shared_ptr<Visit> visit) {
    auto& [socket, answered, proof, answer, gone] = *visit;
    proof.mine = make_nonce();
    co_await send_message(socket, proof, "challenge", proof.mine);
    const auto ask = co_await receive_message(socket, proof, "ask");
    if (ask.size() < nonce_bytes) throw Stranger("a question that is too short");
    proof.theirs = ask.substr(0, nonce_bytes);
    co_return parse_ask(ask.substr(nonce_bytes));
  }

  // An answer that comes while a text is still on its way would be lost with the connection.
  static asio::awaitable<std::string> receive_text(std::shared_ptr<Visit> visit, std::size_t bytes,
                                                   bool keep) {
    if (keep) co_return co_await receive_message(visit->socket, visit->proof, "text", bytes);
    co_await skip_message(visit->socket, bytes);
    co_return std::string();
  }

  asio::awaitable<void> answer(std::shared_ptr<Visit> visit,
                               asio::steady_timer::time_point deadline) {
    if (!visit->answer) {
      // A caller says nothing more: what can be read now is the end of its connection.
      visit->socket.async_wait(tcp::socket::wait_read, [visit](std::error_code) {
        visit->gone = true;
        visit->answered.cancel();
      });
      std::error_code ignored;
      visit->answered.expires_at(deadline);
      co_await visit->answered.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    visit->gone = true;  // too late for another answer
    if (!visit->answer) co_return;
    asio::steady_timer limit(io_, limits_.last_word);
    co_await before(limit, send_answer(visit));
  }

  static asio::awaitable<bool> send_answer(std::shared_ptr<Visit> visit) {
    co_await send_message(visit->socket, visit->proof, "answer", *visit->answer, max_answer_bytes);
    co_return true;
  }

  // First, so that it goes last: what the conversations hold belongs to it.
  asio::io_context io_{1};
  StepKey key_;
  Limits limits_;
  Board board_;
  Listener listener_;
  tcp::acceptor acceptor_;
  Unproven unproven_;
  std::size_t connections_ = 0;
  std::thread thread_;
};

Server::Server(const StepKey& key, const std::optional<PortRange>& ports,
               Board::TakePlans take_plans, Board::TakeNotice take_notice, const Limits& limits)
    : hearing_(std::make_unique<Hearing>(key, ports, std::move(take_plans), std::move(take_notice),
                                         limits)) {}

Server::~Server() = default;

Place Server::place() const {
  if (hearing_->port() == 0) return {};
  Place place{.port = hearing_->port(), .addresses = {}};
  for (const auto& interface : interfaces()) {
    if (interface.address.is_loopback()) continue;
    if (place.addresses.size() < most_addresses) {
      place.addresses.push_back(interface.address.to_string());
    }
  }
  return place;
}

void Server::start() {
  hearing_->start();
}

}  // namespace muster::channel
