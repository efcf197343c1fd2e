#include "launcher/channel/server.hpp"

#include "fixtures/loopback_server.hpp"
#include "fixtures/random_record.hpp"
#include "launcher/channel/client.hpp"
#include "launcher/channel/message.hpp"
#include "launcher/channel/questions.hpp"
#include "launcher/channel/timed.hpp"

#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <asio/buffer.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <gtest/gtest.h>
#include <poll.h>

namespace muster::channel {
namespace {

using fixtures::client;
using fixtures::free_port;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

// The channel of a step of three nodes.
class Channel : public testing::Test {
 protected:
  void open(const std::optional<option::PortRange>& ports = std::nullopt) {
    server_ = std::make_unique<Server>(
        key_, ports, [this](std::vector<std::string> plans) { plans_ = std::move(plans); },
        [this](const std::string& notice) { notices_.push_back(notice); }, limits_);
    server_->start();
  }

  [[nodiscard]] Client node_client(layout::NodeIndex node, const secret::Key& key) const {
    return Client(key, {.port = server_->address().port, .addresses = {"127.0.0.1"}}, node, 3);
  }
  [[nodiscard]] Client node_client(layout::NodeIndex node) const { return node_client(node, key_); }

  std::optional<std::string> ask(layout::NodeIndex node, const std::string& question,
                                 const std::string& text = {},
                                 milliseconds timeout = seconds{10}) const {
    return node_client(node).ask(question, text, Clock::now() + timeout);
  }

  std::vector<std::string> notices_;
  secret::Key key_ = secret::make_key();
  Limits limits_{.first_message_timeout = milliseconds{300}, .unauthenticated = 8};
  std::vector<std::string> plans_;
  std::unique_ptr<Server> server_;
};

// Reads until the other side hangs up, or until nothing has arrived for five seconds.
std::string read_all(const os::Descriptor& socket) {
  std::string text;
  std::array<char, 4096> chunk{};
  pollfd poller{socket.get(), POLLIN, 0};
  while (poll(&poller, 1, 5000) == 1) {
    const auto size = read(socket.get(), chunk.data(), chunk.size());
    if (size <= 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(size));
  }
  ADD_FAILURE() << "the connection stayed open";
  return text;
}

TEST_F(Channel, TakesWhatANodeTellsTheUser) {
  open();
  EXPECT_EQ(ask(2, "notice", "rank 3 moved"), "");
  EXPECT_FALSE(ask(2, "notice", std::string(max_notice_bytes + 1, 'x'), milliseconds{300}));
  server_.reset();  // its thread has ended
  EXPECT_EQ(notices_, std::vector<std::string>{"rank 3 moved"});
}

TEST_F(Channel, IsReachedByANodeThatProvesTheKey) {
  open();
  EXPECT_FALSE(node_client(1, secret::make_key()).ask("where", {}, Clock::now() + seconds{1}));
  EXPECT_FALSE(server_->reached());
  EXPECT_EQ(ask(1, "notice", ""), "");
  EXPECT_TRUE(server_->reached());
}

TEST_F(Channel, BringsANodesWordToAnother) {
  open();
  std::thread host([&] { ask(0, "host", "10.0.0.1", milliseconds{300}); });
  EXPECT_EQ(ask(1, "where"), "10.0.0.1");
  host.join();
}

TEST_F(Channel, LetsTheQuestionWaitForItsAnswer) {
  open();
  std::thread host([&] {
    std::this_thread::sleep_for(milliseconds{100});
    EXPECT_EQ(ask(0, "host", "10.0.0.1"), "tell\nno way");
  });
  EXPECT_EQ(ask(1, "where"), "10.0.0.1");
  EXPECT_EQ(ask(1, "trouble", "no way"), "told");
  host.join();
}

TEST_F(Channel, HasNoAnswerAfterTheDeadline) {
  open();
  const auto start = Clock::now();
  EXPECT_EQ(ask(1, "where", "", milliseconds{200}), std::nullopt);
  EXPECT_LT(Clock::now() - start, seconds{2});
}

TEST_F(Channel, NoticesThatTheHostHasLeft) {
  open();
  EXPECT_EQ(ask(0, "host", "10.0.0.1", milliseconds{50}), std::nullopt);
  std::this_thread::sleep_for(milliseconds{100});
  EXPECT_EQ(ask(1, "trouble", "no way"), "tell");
}

TEST_F(Channel, HandsOverPlansOfManyMegabytes) {
  open();
  std::vector<std::thread> nodes;
  for (const layout::NodeIndex node : {0U, 1U, 2U}) {
    nodes.emplace_back([this, node] {
      const std::string plan(std::size_t{4} << 20, static_cast<char>('a' + node));
      EXPECT_EQ(ask(node, "plan", plan), "");
    });
  }
  for (auto& node : nodes) node.join();
  ASSERT_EQ(plans_.size(), 3U);
  EXPECT_EQ(plans_[2], std::string(std::size_t{4} << 20, 'c'));
}

TEST_F(Channel, TellsWhyThePlansAreRefused) {
  limits_ = {};  // proving and checking that much takes time
  open();
  const std::string plan(max_plan_bytes, 'p');
  std::vector<std::thread> nodes;
  for (layout::NodeIndex node = 0; node < 17; ++node) {
    nodes.emplace_back([&, node] {
      const auto answer = Client(key_, {server_->address().port, {"127.0.0.1"}}, node, 17)
                              .ask("plan", plan, Clock::now() + seconds{40});
      EXPECT_NE(answer.value_or("nothing").find("too long"), std::string::npos)
          << answer.value_or("nothing");
    });
  }
  for (auto& node : nodes) node.join();
  EXPECT_TRUE(plans_.empty());
}

TEST_F(Channel, HasNoAnswerToWhatIsNoQuestionOrTooLong) {
  open();
  const auto start = Clock::now();
  EXPECT_EQ(ask(1, "who"), std::nullopt);
  EXPECT_EQ(ask(1, "host", std::string(5000, 'x')), std::nullopt);
  EXPECT_EQ(ask(1, "plan", std::string(max_plan_bytes + 1, 'x')), std::nullopt);
  EXPECT_LT(Clock::now() - start, seconds{5});
}

// A node that has proved the key, and begins with this text.
asio::awaitable<bool> begin(asio::ip::tcp::socket& socket, secret::Key key, std::string text) {
  Proof proof{.key = key, .mine = make_nonce(), .theirs = {}};
  co_await asio::async_write(socket, asio::buffer(proof.mine), asio::use_awaitable);
  proof.theirs = co_await receive_message(socket, proof, "challenge");
  co_await send_message(socket, proof, "ask", std::move(text));
  co_await receive_message(socket, proof, "answer");
  co_return true;
}

TEST_F(Channel, HangsUpOnANodeOfAnotherVersion) {
  open();
  const auto text = record::write(
      Ask{.node = 1, .nodes = 3, .timeout = seconds{10}, .bytes = 0, .question = "notice"});
  const auto ask_with = [&](const std::string& message) {
    asio::io_context io{1};
    asio::ip::tcp::socket socket(io);
    socket.connect({asio::ip::address_v4::loopback(), server_->address().port});
    return run_to_end(io, begin(socket, key_, message));
  };
  EXPECT_TRUE(ask_with(text));
  for (const auto& other :
       {'1' + text, text + "0 ", text.substr(0, text.size() - 1), std::string("1 3 9000 0 notice")})
    EXPECT_THROW(ask_with(other), std::system_error) << other;
  fixtures::expect_one_form<Ask>();
}

TEST_F(Channel, AnswersNobodyWithAnotherKey) {
  open();
  std::thread host([&] { ask(0, "host", "secret", milliseconds{400}); });
  const auto other = node_client(1, secret::make_key());
  EXPECT_EQ(other.ask("where", "", Clock::now() + seconds{5}), std::nullopt);
  host.join();
}

TEST_F(Channel, AsksNobodyWithAnotherKey) {
  open();
  Server impostor(secret::make_key(), std::nullopt, nullptr);
  impostor.start();
  const Client honest(key_, {impostor.address().port, {"127.0.0.1"}}, 0, 3);
  EXPECT_EQ(honest.ask("host", "secret", Clock::now() + seconds{5}), std::nullopt);
}

// The supervisor challenges every client. After it has ended, another user can listen on its port.
TEST_F(Channel, TakesNoRecordingForTheSupervisor) {
  open();
  const std::string nonce(16, 'n');
  const auto stranger = fixtures::client(server_->address().port);
  send(stranger.get(), nonce.data(), nonce.size(), MSG_NOSIGNAL);
  const auto recorded = read_all(stranger);
  ASSERT_GE(recorded.size(), 4 + 16 + 32U);
  const auto port = fixtures::free_port();
  const auto listener = fixtures::server(port, true);
  std::string heard;
  std::thread impostor([&] {
    const os::Descriptor node(accept(listener.get(), nullptr, nullptr));
    send(node.get(), recorded.data(), recorded.size(), MSG_NOSIGNAL);
    heard = read_all(node);
  });
  const Client honest(key_, {port, {"127.0.0.1"}}, 0, 3);
  EXPECT_EQ(honest.ask("host", "secret", Clock::now() + seconds{2}), std::nullopt);
  impostor.join();
  EXPECT_EQ(heard.find("secret"), std::string::npos);
  EXPECT_EQ(heard.find("host"), std::string::npos);
}

TEST_F(Channel, DropsWhoTalksNonsenseOrNothing) {
  open();
  for (const std::string& words : {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(100, '\xFF'),
                                   std::string(100, '\0'), std::string()}) {
    const auto stranger = fixtures::client(server_->address().port);
    ASSERT_TRUE(stranger);
    send(stranger.get(), words.data(), words.size(), MSG_NOSIGNAL);
    // A challenge and then the end: nothing that could be useful to it.
    EXPECT_LE(read_all(stranger).size(), 4 + 16 + 32U);
  }
}

TEST_F(Channel, KeepsFewOfThoseWhoProveNothing) {
  limits_.first_message_timeout = seconds{30};
  open();
  std::vector<os::Descriptor> silent;
  for (int i = 0; i < 200; ++i) silent.push_back(fixtures::client(server_->address().port));
  EXPECT_EQ(read_all(silent.front()), "");
  std::thread host([&] { ask(0, "host", "10.0.0.1", milliseconds{300}); });
  EXPECT_EQ(ask(1, "where"), "10.0.0.1");
  host.join();
}

TEST_F(Channel, EndsWhileQuestionsWait) {
  open();
  std::thread guest([&] { EXPECT_EQ(ask(1, "where"), std::nullopt); });
  std::this_thread::sleep_for(milliseconds{100});
  const auto stranger = fixtures::client(server_->address().port);
  server_.reset();
  guest.join();
}

TEST_F(Channel, TakesTheFirstFreePortOfTheSitesRange) {
  const auto port = fixtures::free_port();
  ASSERT_EQ(fixtures::free_port(), port + 1);
  const auto taken = fixtures::server(port, false);
  open(option::PortRange{port, static_cast<std::uint16_t>(port + 1)});
  EXPECT_EQ(server_->address().port, port + 1);
}

TEST_F(Channel, IsNotThereWhenEveryPortIsTaken) {
  const auto port = fixtures::free_port();
  const auto taken = fixtures::server(port, false);
  open(option::PortRange{port, port});
  EXPECT_FALSE(server_->address());
}

TEST_F(Channel, AnswersOverIpv6WhereThereIsOne) {
  if (!std::filesystem::exists("/proc/sys/net/ipv6")) GTEST_SKIP() << "this machine has no IPv6";
  open();
  const Client other(key_, {server_->address().port, {"192.0.2.1", "::1"}}, 1, 3);
  std::thread host([&] { ask(0, "host", "10.0.0.1", milliseconds{300}); });
  EXPECT_EQ(other.ask("where", "", Clock::now() + seconds{5}), "10.0.0.1");
  host.join();
}

TEST_F(Channel, IsNeverAskedWithoutAPlace) {
  EXPECT_EQ(Client(key_, {}, 0, 3).ask("where", "", Clock::now() + seconds{5}), std::nullopt);
}

}  // namespace
}  // namespace muster::channel
