#include "launcher/agent/store/server.hpp"

#include "launcher/os/bound_socket.hpp"
#include "unit/core/store/requests.hpp"

#include <chrono>
#include <list>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace muster::store {
namespace {

using namespace std::string_literals;
using namespace std::chrono_literals;
using enum Operation;

const auto go_on = "\0"s;

// The test's own thread serves the store while it waits for answers.
class StoreServerTest : public ::testing::Test {
 protected:
  void serve(const ServerLimits& limits = {}) {
    auto listener = os::bind_any_address(0, {.v6 = true, .reuse_address = true});
    ASSERT_TRUE(listener);
    ASSERT_EQ(listen(listener.get(), 100), 0);
    port_ = os::bound_port(listener);
    server_.emplace(
        io_, std::move(listener), [this](const std::string& line) { complaints_.push_back(line); },
        limits);
  }

  os::Descriptor connect(const std::string& first = magic()) {
    os::Descriptor client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    send(client, first);
    return client;
  }

  void send(const os::Descriptor& client, const std::string& bytes) {
    EXPECT_EQ(::send(client.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }

  // Exactly these bytes come back.
  void expect(const os::Descriptor& client, const std::string& wanted) {
    EXPECT_EQ(receive(client, wanted.size()), wanted);
  }

  std::string receive(const os::Descriptor& client, std::size_t size) {
    std::string found;
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (found.size() < size && std::chrono::steady_clock::now() < end) {
      io_.run_for(1ms);
      io_.restart();
      std::string part(size - found.size(), '\0');
      const auto got = recv(client.get(), part.data(), part.size(), MSG_DONTWAIT);
      if (got > 0) found += part.substr(0, static_cast<std::size_t>(got));
      if (got == 0) break;
    }
    return found;
  }

  bool is_disconnected(const os::Descriptor& client) {
    const auto end = std::chrono::steady_clock::now() + 10s;
    char byte = 0;
    while (std::chrono::steady_clock::now() < end) {
      run();
      const auto got = recv(client.get(), &byte, 1, MSG_DONTWAIT);
      if (got == 0 || (got < 0 && errno == ECONNRESET)) return true;
    }
    return false;
  }

  void run() {
    io_.run_for(2ms);
    io_.restart();
  }

  void run_until_connections(std::size_t wanted) {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (server_->connections() != wanted && std::chrono::steady_clock::now() < end) run();
    EXPECT_EQ(server_->connections(), wanted);
  }

  asio::io_context io_;
  std::optional<Server> server_;
  std::uint16_t port_ = 0;
  std::vector<std::string> complaints_;
};

TEST_F(StoreServerTest, ServesClientsOfEveryRelease) {
  serve();
  const auto new_client = connect();
  send(new_client, code(ping) + bytes_of(std::uint32_t{5}) + code(set) + text("a") + text("1"));
  expect(new_client, bytes_of(std::uint32_t{5}));
  const auto old_client = connect("");
  send(old_client, code(2) + text("a"));
  expect(old_client, text("1"));
}

TEST_F(StoreServerTest, AClientWithASilentOneBesideItIsOfRelease20OrOlder) {
  serve();
  const auto client = connect("");
  send(client, code(0) + text("a") + text("1") + code(6));
  expect(client, bytes_of(std::int64_t{1}));
  const auto companion = connect("");
  run_until_connections(2);
  send(client, code(8) + text("a"));
  expect(client, bytes_of(std::int64_t{1}));
}

TEST_F(StoreServerTest, AClientWithoutOneIsOfRelease21) {
  serve();
  const auto client = connect("");
  send(client, code(0) + text("a") + text("1") + code(7) + text("a"));
  expect(client, bytes_of(std::int64_t{1}));
}

TEST_F(StoreServerTest, AClientWaitsForAnother) {
  serve();
  const auto waits = connect();
  const auto sets = connect();
  send(waits, code(wait) + texts({"a"}));
  run_until_connections(2);
  run();
  send(sets, code(set) + text("a") + text("1"));
  expect(waits, go_on);
}

TEST_F(StoreServerTest, WhoeverSendsWhatTorchWouldNotIsDisconnectedAndTheOthersGoOn) {
  serve();
  const auto client = connect();
  send(client, code(set) + text("a") + text("1"));
  for (const auto& bytes : {"GET / HTTP/1.1\r\n\r\n"s, magic() + code(99),
                            magic() + code(get) + bytes_of(std::uint64_t{1} << 30),
                            magic() + code(set) + text("s") + text("x") + code(add) + text("s") +
                                bytes_of(std::int64_t{1}),
                            std::string(1000, '\xff')}) {
    const auto stranger = connect(bytes);
    EXPECT_TRUE(is_disconnected(stranger));
  }
  ASSERT_EQ(complaints_.size(), 3U);
  EXPECT_EQ(complaints_[0],
            "the store has disconnected a client at 127.0.0.1: an unknown operation, 71");
  EXPECT_EQ(
      complaints_[2],
      "the store has disconnected a client at 127.0.0.1: a key of 1073741824 bytes; at most 8192 are "
      "allowed");
  send(client, code(get) + text("a"));
  expect(client, text("1"));
  run_until_connections(1);
}

TEST_F(StoreServerTest, AClientThatGoesWhileItWaitsIsForgotten) {
  serve();
  const auto sets = connect();
  {
    const auto waits = connect();
    send(waits, code(wait) + texts({"a"}));
    run_until_connections(2);
    run();
  }
  run_until_connections(1);
  send(sets, code(set) + text("a") + text("1") + code(get) + text("a"));
  expect(sets, text("1"));
}

TEST_F(StoreServerTest, RequestsThatNeverEndTakeABoundedAmountOfMemory) {
  serve({.buffered_bytes = 100'000});
  std::list<os::Descriptor> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(connect());
    send(clients.back(),
         code(set) + text("a") + bytes_of(std::uint64_t{20'000}) + std::string(10'000, 'x'));
  }
  const auto end = std::chrono::steady_clock::now() + 10s;
  // On a busy machine, the bytes of some clients come after the first complaint.
  while ((complaints_.empty() || server_->connections() > 10) &&
         std::chrono::steady_clock::now() < end)
    run();
  ASSERT_FALSE(complaints_.empty());
  EXPECT_NE(complaints_[0].find("more than 100000 bytes of unsent replies"), std::string::npos);
  EXPECT_LE(server_->connections(), 10U);
}

TEST_F(StoreServerTest, AClientThatDoesNotReadItsAnswersIsDisconnected) {
  serve({.buffered_bytes = 1'000'000});
  const auto client = connect();
  send(client, code(set) + text("a") + text(std::string(100'000, 'x')));
  run_until_connections(1);
  for (int i = 0; i < 1000 && complaints_.empty(); ++i) {
    send(client, code(get) + text("a"));
    run();
  }
  ASSERT_EQ(complaints_.size(), 1U);
  run_until_connections(0);
}

TEST_F(StoreServerTest, ALargeAnswerIsSentInPieces) {
  serve();
  const auto client = connect();
  const auto value = std::string(std::size_t{8} << 20, 'x');
  send(client, code(set) + text("a"));
  for (const auto bytes = text(value);
       const auto& part :
       {bytes.substr(0, 100), bytes.substr(100, 1 << 20), bytes.substr(100 + (1 << 20))}) {
    for (std::size_t begin = 0; begin < part.size(); begin += 10'000) {
      send(client, part.substr(begin, 10'000));
      if (begin % 500'000 == 0) run();
    }
  }
  send(client, code(get) + text("a") + code(ping) + bytes_of(std::uint32_t{7}));
  expect(client, text(value) + bytes_of(std::uint32_t{7}));
}

TEST_F(StoreServerTest, SilentClientsDoNotKeepTheOthersOut) {
  serve({.connections = 3});
  const auto client = connect();
  std::list<os::Descriptor> silent;
  for (int i = 0; i < 5; ++i) silent.push_back(connect(""));
  const auto late = connect();
  send(late, code(set) + text("a") + text("1"));
  send(client, code(wait) + texts({"a"}));
  expect(client, go_on);
  EXPECT_EQ(server_->connections(), 3U);
  EXPECT_TRUE(is_disconnected(silent.front()));
}

TEST_F(StoreServerTest, NothingIsLeftToDoOnceItIsClosed) {
  serve();
  const auto client = connect();
  send(client, code(wait) + texts({"a"}));
  run_until_connections(1);
  server_->close();
  io_.run_for(1s);
  EXPECT_TRUE(io_.stopped());
  EXPECT_TRUE(is_disconnected(client));
}

}  // namespace
}  // namespace muster::store
