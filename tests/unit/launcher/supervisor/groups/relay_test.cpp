#include "launcher/supervisor/groups/relay.hpp"

#include "launcher/channel/listener.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <string>

#include <asio/buffer.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>
#include <gtest/gtest.h>

namespace muster::groups {
namespace {

using namespace std::chrono_literals;
using asio::ip::tcp;

// Says its name to whoever connects, and then what it hears.
class Server {
 public:
  Server(asio::io_context& io, std::string name)
      : name_(std::move(name)),
        acceptor_(io, {asio::ip::make_address("127.0.0.1"), 0}),
        client_(io) {
    acceptor_.async_accept(client_, [this](std::error_code error) {
      if (error) return;
      asio::write(client_, asio::buffer(name_));
      echo();
    });
  }

  [[nodiscard]] tcp::endpoint place() const { return acceptor_.local_endpoint(); }

 private:
  void echo() {
    client_.async_read_some(asio::buffer(bytes_), [this](std::error_code error, std::size_t count) {
      if (error) return;
      asio::write(client_, asio::buffer(bytes_.data(), count));
      echo();
    });
  }

  std::string name_;
  tcp::acceptor acceptor_;
  tcp::socket client_;
  std::array<char, 64> bytes_{};
};

class RelayTest : public testing::Test {
 protected:
  void begin(Relay::Limits limits = {}) {
    auto listener = channel::listen(std::optional<option::PortRange>());
    port_ = listener.port;
    relay_.emplace(io_, std::move(listener.socket), limits);
  }

  // What the connection brings: "" at its end.
  std::string read(tcp::socket& client, std::size_t bytes) {
    std::string text(bytes, '\0');
    bool done = false;
    asio::async_read(client, asio::buffer(text), [&](std::error_code error, std::size_t count) {
      text.resize(error ? 0 : count);
      done = true;
    });
    run_until([&done] { return done; });
    return text;
  }

  void run_until(const std::function<bool()>& is_so) {
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (!is_so() && std::chrono::steady_clock::now() < deadline) io_.run_one_for(10ms);
  }

  tcp::socket connect() {
    tcp::socket client(io_);
    client.connect({asio::ip::make_address("127.0.0.1"), port_});
    return client;
  }

  asio::io_context io_;
  std::optional<Relay> relay_;
  std::uint16_t port_ = 0;
};

TEST_F(RelayTest, PassesOnInBothDirections) {
  begin();
  const Server server(io_, "one");
  relay_->move_to(server.place());
  auto client = connect();
  EXPECT_EQ(read(client, 3), "one");
  asio::write(client, asio::buffer("hello", 5));
  EXPECT_EQ(read(client, 5), "hello");
}

TEST_F(RelayTest, AConnectionWaitsForTheServer) {
  begin();
  auto client = connect();
  io_.run_one_for(50ms);
  const Server server(io_, "one");
  relay_->move_to(server.place());
  EXPECT_EQ(read(client, 3), "one");
}

TEST_F(RelayTest, AConnectionEndsWhenTheServerMovesAndTheNextOneMeetsTheNewServer) {
  begin();
  const Server first(io_, "one");
  const Server second(io_, "two");
  relay_->move_to(first.place());
  auto client = connect();
  ASSERT_EQ(read(client, 3), "one");
  relay_->move_to(second.place());
  EXPECT_EQ(read(client, 1), "");
  auto next = connect();
  EXPECT_EQ(read(next, 3), "two");
}

TEST_F(RelayTest, WaitsNoLongerThanItMay) {
  begin({.wait = 50ms});
  auto client = connect();
  EXPECT_EQ(read(client, 1), "");
}

TEST_F(RelayTest, HasABoundOnItsConnections) {
  begin({.connections = 1});
  auto client = connect();
  auto other = connect();
  EXPECT_EQ(read(other, 1), "");
}

TEST_F(RelayTest, KnowsWhenTheServerLastSentSomething) {
  begin();
  Server server(io_, "one");
  relay_->move_to(server.place());
  auto client = connect();
  const auto before = std::chrono::steady_clock::now();
  EXPECT_LT(relay_->last_word(), before);
  ASSERT_EQ(read(client, 3), "one");
  const auto word = relay_->last_word();
  EXPECT_GE(word, before);
  asio::write(client, asio::buffer("x", 1));
  ASSERT_EQ(read(client, 1), "x");
  EXPECT_GT(relay_->last_word(), word);
}

}  // namespace
}  // namespace muster::groups
