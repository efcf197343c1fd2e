#include "launcher/agent/rendezvous/rendezvous.hpp"

#include "core/layout/layout.hpp"
#include "fixtures/loopback_server.hpp"
#include "launcher/channel/server.hpp"
#include "launcher/channel/timed.hpp"
#include "leader_double.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace muster::rendezvous {
namespace {

using fixtures::client;
using fixtures::free_port;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A step of a few nodes with one task each, all of them on this machine.
class RendezvousTest : public testing::Test {
 protected:
  struct Agent {
    std::string failure = {};
    std::vector<std::string> warnings = {};
    secret::Key key{};
    bool absent = false;
  };

  // By node; the first is the leader.
  std::vector<Outcome> meet(std::vector<Agent> agents, const std::string& host_address) {
    for (std::size_t node = 0; node < agents.size(); ++node) {
      layout_.nodes.push_back("node" + std::to_string(node));
      layout_.node_of_task.push_back(static_cast<layout::NodeIndex>(node));
    }
    std::vector<Outcome> outcomes(agents.size());
    std::vector<std::thread> threads;
    start_ = Clock::now();
    for (std::size_t node = 1; node < agents.size(); ++node) {
      if (agents[node].absent) continue;
      threads.emplace_back([&, node] {
        outcomes[node] =
            join_rendezvous(inputs(node, agents[node]), ports_, way_, agents[node].failure);
      });
    }
    if (before_host_.joinable()) before_host_.join();
    outcomes[0] =
        lead_rendezvous(inputs(0, agents[0]), *held_, addresses(host_address), agents[0].failure);
    host_took_ = Clock::now() - start_;
    for (auto& thread : threads) thread.join();
    took_ = Clock::now() - start_;
    return outcomes;
  }

  // Where the leader is: chosen by the user, or wherever the members arrive.
  [[nodiscard]] node::NodeAddresses addresses(const std::string& chosen) const {
    node::NodeAddresses leader{.ranks = {}, .chosen = !chosen.empty(), .all = all_};
    if (leader.chosen) leader.ranks = {asio::ip::make_address(chosen)};
    return leader;
  }

  RendezvousInputs inputs(std::size_t node, const Agent& agent) const {
    return {.key = agent.key == secret::Key{} ? key_ : agent.key,
            .layout = layout_,
            .node = static_cast<layout::NodeIndex>(node),
            .deadline = start_ + patience_,
            .warnings = agent.warnings,
            .supervisor = {key_, place_, static_cast<layout::NodeIndex>(node),
                           static_cast<std::uint32_t>(layout_.nodes.size())},
            .exchange = node == 0 ? exchange_ : Port{0},
            .replaces_exported = node == 0 && replaces_exported_,
            .width = width_};
  }

  static void expect_met(const std::vector<Outcome>& outcomes, const std::string& address,
                         Port port) {
    for (const auto& outcome : outcomes) {
      EXPECT_EQ(outcome.failure, "");
      EXPECT_EQ(outcome.rendezvous.address, address);
      EXPECT_EQ(outcome.rendezvous.port, port);
    }
  }

  KnownAddress unreachable_{asio::ip::make_address("255.255.255.255")};
  secret::Key key_ = secret::make_key();
  layout::Layout layout_;
  std::optional<port::HeldPort> held_ = port::HeldPort::hold(fixtures::free_port());
  std::vector<Port> ports_{held_->port()};
  KnownAddress way_{asio::ip::make_address("127.0.0.1")};
  node::Addresses all_{asio::ip::make_address("127.0.0.1")};
  channel::Address place_;          // the supervisor's; there is none to ask
  Port exchange_ = 0;               // the leader's
  bool replaces_exported_ = false;  // likewise
  std::optional<std::size_t> width_;
  milliseconds patience_{20'000};
  Clock::time_point start_;
  Clock::duration host_took_{};
  Clock::duration took_{};
  std::thread before_host_;
};

TEST_F(RendezvousTest, AllAgreeOnAddressAndPort) {
  expect_met(meet({{}, {}, {}, {}}, "127.0.0.1"), "127.0.0.1", held_->port());
  EXPECT_LT(took_, seconds{3});
}

TEST_F(RendezvousTest, AllAgreeOnTheAddressWhereTheFirstGuestFoundTheHost) {
  way_ = {asio::ip::make_address("127.0.0.2")};
  expect_met(meet({{}, {}, {}}, ""), "127.0.0.2", held_->port());
}

TEST_F(RendezvousTest, AllAgreeOnTheAddressThatTheHostChose) {
  expect_met(meet({{}, {}, {}}, "127.0.0.2"), "127.0.0.2", held_->port());
}

TEST_F(RendezvousTest, TellsAllWhereTheWorkerLibrarysRanksMeet) {
  exchange_ = 61007;
  for (const auto& outcome : meet({{}, {}, {}}, "127.0.0.1")) {
    EXPECT_EQ(outcome.exchange, 61007);
  }
}

TEST_F(RendezvousTest, TellsAllWhetherItsAddressReplacesTheExportedOne) {
  replaces_exported_ = true;
  for (const auto& outcome : meet({{}, {}, {}}, "127.0.0.1")) {
    EXPECT_TRUE(outcome.replaces_exported);
  }
}

TEST_F(RendezvousTest, GoesOnWhereTheyHaveNoPlaceToMeet) {
  const auto outcomes = meet({{}, {}}, "127.0.0.1");
  expect_met(outcomes, "127.0.0.1", held_->port());
  for (const auto& outcome : outcomes) EXPECT_EQ(outcome.exchange, 0);
}

TEST_F(RendezvousTest, LeavesThePortToRankZero) {
  meet({{}, {}, {}}, "127.0.0.1");
  EXPECT_FALSE(fixtures::client(held_->port()));
  EXPECT_TRUE(fixtures::server(held_->port(), true));
}

TEST_F(RendezvousTest, WaitsForAHostThatIsLate) {
  before_host_ = std::thread([] { std::this_thread::sleep_for(milliseconds{300}); });
  expect_met(meet({{}, {}}, "127.0.0.1"), "127.0.0.1", held_->port());
}

TEST_F(RendezvousTest, NamesTheNodeThatDidNotCome) {
  patience_ = milliseconds{400};
  const auto outcomes = meet({{}, {}, {.absent = true}}, "127.0.0.1");
  EXPECT_NE(outcomes[0].failure.find("no word from node2 within"), std::string::npos)
      << outcomes[0].failure;
  EXPECT_FALSE(outcomes[0].reported_elsewhere);
  EXPECT_EQ(outcomes[1].failure, outcomes[0].failure);
  EXPECT_TRUE(outcomes[1].reported_elsewhere);
  EXPECT_LT(took_, seconds{3});
}

TEST_F(RendezvousTest, BringsAGuestsTroubleToAllAndLetsTheHostTellIt) {
  const auto outcomes = meet({{}, {.failure = "node1 has no ib0"}, {}}, "127.0.0.1");
  for (const auto& outcome : outcomes) EXPECT_EQ(outcome.failure, "node1 has no ib0");
  EXPECT_FALSE(outcomes[0].reported_elsewhere);
  EXPECT_TRUE(outcomes[1].reported_elsewhere);
  EXPECT_TRUE(outcomes[2].reported_elsewhere);
}

TEST_F(RendezvousTest, BringsTheHostsTroubleToAll) {
  const auto outcomes = meet({{.failure = "no program"}, {}, {}}, "");
  for (const auto& outcome : outcomes) EXPECT_EQ(outcome.failure, "no program");
  EXPECT_FALSE(outcomes[0].reported_elsewhere);
  EXPECT_TRUE(outcomes[1].reported_elsewhere);
}

TEST_F(RendezvousTest, TellsOneTroubleOfManyNodesInOneLine) {
  const auto outcomes = meet({{}, {.failure = "no ib0"}, {.failure = "no ib0"}}, "127.0.0.1");
  EXPECT_TRUE(outcomes[0].failure.starts_with("no ib0")) << outcomes[0].failure;
  EXPECT_NE(outcomes[0].failure.find("node2"), std::string::npos) << outcomes[0].failure;
  EXPECT_EQ(outcomes[0].failure.find('\n'), std::string::npos);
}

TEST_F(RendezvousTest, BringsEveryWarningToTheHostOnce) {
  const auto outcomes =
      meet({{.warnings = {"few cores"}}, {.warnings = {"few cores"}}, {}}, "127.0.0.1");
  EXPECT_EQ(outcomes[0].warnings.size(), 1U);
  EXPECT_NE(outcomes[0].warnings.at(0).find("few cores"), std::string::npos);
  EXPECT_TRUE(outcomes[1].warnings.empty());
}

// Strangers on the leader's port must neither join nor hold anything up.
TEST_F(RendezvousTest, IsNotDisturbedByAStrangerThatTalksNonsenseOrNothing) {
  std::atomic<bool> over = false;
  std::thread stranger([&] {
    std::vector<os::Descriptor> silent;
    while (!over) {
      auto socket = fixtures::client(held_->port());
      if (!socket) {
        std::this_thread::sleep_for(milliseconds{1});
        continue;
      }
      const std::string nonsense = "GET / HTTP/1.1\r\n\r\n" + std::string(100, '\xFF');
      if (silent.size() % 2 == 0) {
        send(socket.get(), nonsense.data(), nonsense.size(), MSG_NOSIGNAL);
      }
      silent.push_back(std::move(socket));
      if (silent.size() > 50) return;
    }
  });
  before_host_ = std::thread([] {});
  std::vector<Agent> agents(4);
  expect_met(meet(agents, "127.0.0.1"), "127.0.0.1", held_->port());
  EXPECT_LT(took_, seconds{3});
  over = true;
  stranger.join();
}

TEST_F(RendezvousTest, DoesNotLetInAGuestWithAnotherStepsKey) {
  patience_ = milliseconds{700};
  const auto outcomes = meet({{}, {.key = secret::make_key()}, {}}, "127.0.0.1");
  EXPECT_NE(outcomes[0].failure.find("no word from node1"), std::string::npos)
      << outcomes[0].failure;
  EXPECT_NE(outcomes[1].failure.find("no agent answered on node0"), std::string::npos)
      << outcomes[1].failure;
  EXPECT_FALSE(outcomes[1].reported_elsewhere);
  EXPECT_EQ(outcomes[2].failure, outcomes[0].failure);
  EXPECT_LT(took_, seconds{4});
}

// An agent of another muster version whose request has the same fields.
class OtherVersion : public RendezvousTest {
 protected:
  // What node 1 does in the leader's session.
  asio::awaitable<bool> report(asio::ip::tcp::socket& socket, std::string ready) {
    channel::Proof proof{.key = key_, .mine = {}, .theirs = {}};
    proof.theirs = co_await channel::receive_message(socket, proof, "challenge");
    proof.mine = channel::make_nonce();
    auto hello = proof.mine + to_text(Hello{.node = 1});
    co_await channel::send_message(socket, proof, "hello", std::move(hello));
    co_await channel::receive_message(socket, proof, "welcome");
    co_await channel::send_message(socket, proof, "ready", std::move(ready));
    co_await channel::receive_message(socket, proof, "go");
    co_return true;
  }
};

TEST_F(OtherVersion, OfAMemberIsNamedAtOnce) {
  std::thread member([&] {
    asio::io_context io{1};
    asio::ip::tcp::socket socket(io);
    asio::error_code refused;
    do socket.connect({asio::ip::address_v4::loopback(), held_->port()}, refused);
    while (refused);
    channel::run_to_end(io, report(socket, '1' + to_text(NodeReport())));
  });
  const auto outcomes = meet({{}, {.absent = true}}, "127.0.0.1");
  member.join();
  EXPECT_EQ(
      outcomes[0].failure,
      "a message from the agent of node1 cannot be read; is the same muster version installed "
      "on every node?");
  EXPECT_LT(took_, seconds{3});
}

TEST_F(OtherVersion, OfTheLeaderIsNamedAtOnce) {
  const LeaderDouble leader(key_, 2, 1, 8);  // its welcome is one word
  layout_ = {{"node0", "node1"}, {0, 1}, ""};
  start_ = Clock::now();
  const auto outcome = join_rendezvous(inputs(1, {}), {leader.port()}, way_, "");
  EXPECT_NE(outcome.failure.find("the agent of node0 cannot be read"), std::string::npos)
      << outcome.failure;
  EXPECT_LT(Clock::now() - start_, seconds{3});
}

// Another program's server on the first candidate port.
class ForeignServer : public RendezvousTest {
 protected:
  void run(const std::string& greeting, bool hang_up) {
    const auto port = fixtures::free_port();
    auto listener = fixtures::server(port, true);
    std::thread serving([&] {
      std::vector<os::Descriptor> open;
      while (true) {
        os::Descriptor peer(accept(listener.get(), nullptr, nullptr));
        if (!peer) return;
        send(peer.get(), greeting.data(), greeting.size(), MSG_NOSIGNAL);
        if (!hang_up) open.push_back(std::move(peer));
      }
    });
    ports_ = {port, held_->port()};
    expect_met(meet({{}, {}, {}}, "127.0.0.1"), "127.0.0.1", held_->port());
    shutdown(listener.get(), SHUT_RDWR);
    serving.join();
  }
};

TEST_F(ForeignServer, IsPassedOverAtOnceWhenItGreets) {
  run("SSH-2.0-OpenSSH_9.2p1 Debian\r\n", false);
  EXPECT_LT(took_, milliseconds{1500});
}

TEST_F(ForeignServer, IsPassedOverAtOnceWhenItHangsUp) {
  run("", true);
  EXPECT_LT(took_, milliseconds{1500});
}

TEST_F(ForeignServer, IsPassedOverAfterAWhileWhenItIsSilent) {
  run("", false);
  EXPECT_LT(took_, seconds{8});
}

TEST_F(RendezvousTest, FailsFastWhereTheHostCannotBeReached) {
  layout_ = {{"node0", "node1"}, {0, 1}, ""};
  start_ = Clock::now();
  const auto outcome = join_rendezvous(inputs(1, {}), ports_, unreachable_, "");
  EXPECT_LT(Clock::now() - start_, seconds{3});
  EXPECT_NE(outcome.failure.find("node1 cannot reach node0 at 255.255.255.255"), std::string::npos)
      << outcome.failure;
  EXPECT_FALSE(outcome.reported_elsewhere);
}

TEST_F(RendezvousTest, TellsThatTheChosenAddressIsOutOfReachOfAGuest) {
  const auto outcomes = meet({{}, {}}, "255.255.255.255");
  EXPECT_NE(outcomes[0].failure.find("node1 cannot reach node0"), std::string::npos)
      << outcomes[0].failure;
  EXPECT_TRUE(outcomes[1].reported_elsewhere);
  EXPECT_LT(took_, seconds{3});
}

// Most members meet at other members instead of the leader.
class RendezvousInGroups : public RendezvousTest {
 protected:
  RendezvousInGroups() { width_ = 2; }
};

TEST_F(RendezvousInGroups, AllAgreeOnAddressAndPort) {
  exchange_ = 61007;
  const auto outcomes = meet(std::vector<Agent>(12), "127.0.0.1");
  expect_met(outcomes, "127.0.0.1", held_->port());
  for (const auto& outcome : outcomes) EXPECT_EQ(outcome.exchange, 61007);
}

TEST_F(RendezvousInGroups, LeavesThePortToRankZero) {
  meet(std::vector<Agent>(9), "127.0.0.1");
  EXPECT_FALSE(fixtures::client(held_->port()));
  EXPECT_TRUE(fixtures::server(held_->port(), true));
}

TEST_F(RendezvousInGroups, NamesTheNodesThatDidNotComeAndNoOther) {
  patience_ = milliseconds{1500};
  std::vector<Agent> agents(10);
  agents[1].absent = agents[7].absent = true;
  const auto outcomes = meet(agents, "127.0.0.1");
  for (const auto node : {0U, 2U, 3U, 4U, 5U, 6U, 8U, 9U}) {
    EXPECT_NE(outcomes[node].failure.find("no word from node1, node7 within"), std::string::npos)
        << node << ": " << outcomes[node].failure;
    EXPECT_EQ(outcomes[node].reported_elsewhere, node != 0);
  }
}

TEST_F(RendezvousInGroups, BringsOneNodesFailureToAllInOneLine) {
  std::vector<Agent> agents(8);
  agents[5].failure = "node5 has no ib0";
  const auto outcomes = meet(agents, "127.0.0.1");
  for (const auto& outcome : outcomes) EXPECT_EQ(outcome.failure, "node5 has no ib0");
  EXPECT_FALSE(outcomes[0].reported_elsewhere);
  for (std::size_t node = 1; node < 8; ++node) EXPECT_TRUE(outcomes[node].reported_elsewhere);
}

TEST_F(RendezvousInGroups, BringsEveryWarningToTheLeaderOnce) {
  std::vector<Agent> agents(8);
  for (auto& agent : agents) agent.warnings = {"few cores"};
  const auto outcomes = meet(agents, "127.0.0.1");
  ASSERT_EQ(outcomes[0].warnings.size(), 1U);
  EXPECT_NE(outcomes[0].warnings[0].find("and 4 more: few cores"), std::string::npos)
      << outcomes[0].warnings[0];
}

TEST_F(RendezvousInGroups, TellsThatTheChosenAddressIsOutOfReach) {
  const auto outcomes = meet(std::vector<Agent>(7), "255.255.255.255");
  EXPECT_NE(outcomes[0].failure.find("cannot reach node0"), std::string::npos)
      << outcomes[0].failure;
  for (std::size_t node = 1; node < 7; ++node) EXPECT_TRUE(outcomes[node].reported_elsewhere);
}

TEST_F(RendezvousInGroups, AgreesOnAnAddressThatAllReachWhenTheyCameByDifferentOnes) {
  constexpr layout::NodeIndex nodes = 8;
  for (layout::NodeIndex node = 0; node < nodes; ++node) {
    layout_.nodes.push_back("node" + std::to_string(node));
    layout_.node_of_task.push_back(node);
  }
  start_ = Clock::now();
  std::array<Outcome, nodes> outcomes;
  std::vector<std::thread> threads;
  for (layout::NodeIndex node = 1; node < nodes; ++node) {
    threads.emplace_back([&, node] {
      const auto address = node % 2 == 0 ? "127.0.0.2" : "127.0.0.3";
      outcomes[node] =
          join_rendezvous(inputs(node, {}), ports_, {asio::ip::make_address(address)}, "");
    });
  }
  const node::NodeAddresses leader{
      .ranks = {asio::ip::make_address("255.255.255.255"), asio::ip::make_address("127.0.0.4")},
      .chosen = false,
      .all = {}};
  outcomes[0] = lead_rendezvous(inputs(0, {}), *held_, leader, "");
  for (auto& thread : threads) thread.join();
  expect_met({outcomes.begin(), outcomes.end()}, "127.0.0.4", held_->port());
}

TEST_F(RendezvousInGroups, IsNotDisturbedByManyConnectionsThatSayNothing) {
  std::vector<os::Descriptor> silent;
  std::atomic<bool> over = false;
  std::thread others([&] {
    while (!over && silent.size() < 600) {
      auto socket = fixtures::client(held_->port());
      if (socket) silent.push_back(std::move(socket));
    }
  });
  expect_met(meet(std::vector<Agent>(12), "127.0.0.1"), "127.0.0.1", held_->port());
  over = true;
  others.join();
}

// With a supervisor to ask.
class RendezvousWithSupervisor : public RendezvousTest {
 protected:
  RendezvousWithSupervisor() {
    server_.start();
    place_ = {.port = server_.address().port, .addresses = {"127.0.0.1"}};
  }

  // One line for the user, reported by one node.
  static void expect_told_once(const std::vector<Outcome>& outcomes, const std::string& words) {
    int told = 0;
    for (const auto& outcome : outcomes) {
      EXPECT_NE(outcome.failure.find(words), std::string::npos) << outcome.failure;
      told += outcome.reported_elsewhere ? 0 : 1;
    }
    EXPECT_EQ(told, 1);
  }

  channel::Server server_{key_, std::nullopt, nullptr};
};

TEST_F(RendezvousWithSupervisor, MeetsWhereTheSupervisorSaysWhenTheKnownAddressIsDead) {
  way_ = unreachable_;
  all_ = {asio::ip::make_address("127.0.0.2")};
  expect_met(meet({{}, {}, {}}, ""), "127.0.0.2", held_->port());
  EXPECT_LT(took_, seconds{3});
}

TEST_F(RendezvousWithSupervisor, MeetsWhenTheHostsNameCannotBeResolved) {
  way_ = {std::nullopt, "node1: cannot resolve node0"};
  all_ = {asio::ip::make_address("127.0.0.3")};
  expect_met(meet({{}, {}}, ""), "127.0.0.3", held_->port());
  EXPECT_LT(took_, seconds{3});
}

TEST_F(RendezvousWithSupervisor, MeetsWhenNothingAnswersAtTheKnownAddress) {
  const auto port = fixtures::free_port();
  ports_ = {port};  // the leader has held a different port
  expect_met(meet({{}, {}}, ""), "127.0.0.1", held_->port());
  EXPECT_LT(took_, seconds{4});
}

TEST_F(RendezvousWithSupervisor, TellsOnceThatANodeCannotComeAndKeepsNobodyWaiting) {
  way_ = unreachable_;
  all_ = {asio::ip::make_address("255.255.255.255")};
  const auto outcomes = meet({{}, {}, {}}, "127.0.0.1");
  expect_told_once(outcomes, "cannot reach node0 at 255.255.255.255");
  EXPECT_LT(took_, seconds{5});
}

TEST_F(RendezvousWithSupervisor, TellsOnceThatTheHostIsAbsent) {
  patience_ = milliseconds{1500};
  layout_ = {{"node0", "node1", "node2"}, {0, 1, 2}, ""};
  start_ = Clock::now();
  held_.reset();
  Outcome other;
  std::thread member([&] { other = join_rendezvous(inputs(2, {}), ports_, way_, ""); });
  const auto outcome = join_rendezvous(inputs(1, {}), ports_, way_, "");
  member.join();
  expect_told_once({outcome, other}, "no agent answered on node0");
}

TEST_F(RendezvousTest, AgreesOnAnAddressThatAllReachWhenTheyCameByDifferentOnes) {
  layout_ = {{"node0", "node1", "node2"}, {0, 1, 2}, ""};
  start_ = Clock::now();
  std::array<Outcome, 3> outcomes;
  std::thread one([&] {
    outcomes[1] = join_rendezvous(inputs(1, {}), ports_, {asio::ip::make_address("127.0.0.2")}, "");
  });
  std::thread other([&] {
    outcomes[2] = join_rendezvous(inputs(2, {}), ports_, {asio::ip::make_address("127.0.0.3")}, "");
  });
  node::NodeAddresses leader{
      .ranks = {asio::ip::make_address("255.255.255.255"), asio::ip::make_address("127.0.0.4")},
      .chosen = false,
      .all = {}};
  outcomes[0] = lead_rendezvous(inputs(0, {}), *held_, leader, "");
  one.join();
  other.join();
  expect_met({outcomes.begin(), outcomes.end()}, "127.0.0.4", held_->port());
}

TEST_F(RendezvousTest, NoticesAtOnceThatTheHostsAgentDied) {
  layout_ = {{"node0", "node1", "node2"}, {0, 1, 2}, ""};
  start_ = Clock::now();
  // The leader gives up while the member waits for a third node.
  std::thread leader([&] {
    auto impatient = inputs(0, {});
    impatient.deadline = start_ + milliseconds{300};
    lead_rendezvous(impatient, *held_, addresses("127.0.0.1"), "");
  });
  const auto outcome = join_rendezvous(inputs(1, {}), ports_, way_, "");
  leader.join();
  EXPECT_NE(outcome.failure, "");
  EXPECT_LT(Clock::now() - start_, seconds{3});
}

}  // namespace
}  // namespace muster::rendezvous
