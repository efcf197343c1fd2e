#include "launcher/rendezvous/rendezvous.hpp"

#include "fixtures/loopback_server.hpp"
#include "launcher/channel/server.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::client;
using test::free_port;

// A step of some nodes, one task each, all of them on this machine.
class Gather : public testing::Test {
 protected:
  struct Agent {
    std::string trouble = {};
    std::vector<std::string> warnings = {};
    StepKey key{};
    bool absent = false;
  };

  // By node; the first is the host.
  std::vector<Outcome> gather(std::vector<Agent> agents, const std::string& host_address) {
    for (std::size_t node = 0; node < agents.size(); ++node) {
      layout_.nodes.push_back("node" + std::to_string(node));
      layout_.node_of_task.push_back(static_cast<NodeIndex>(node));
    }
    std::vector<Outcome> outcomes(agents.size());
    std::vector<std::thread> threads;
    start_ = Clock::now();
    for (std::size_t node = 1; node < agents.size(); ++node) {
      if (agents[node].absent) continue;
      threads.emplace_back([&, node] {
        outcomes[node] =
            join_gathering(gathering(node, agents[node]), ports_, way_, agents[node].trouble);
      });
    }
    if (before_host_.joinable()) before_host_.join();
    outcomes[0] =
        host_gathering(gathering(0, agents[0]), *held_, addresses(host_address), agents[0].trouble);
    host_took_ = Clock::now() - start_;
    for (auto& thread : threads) thread.join();
    took_ = Clock::now() - start_;
    return outcomes;
  }

  // Where the host is: chosen by the user, or wherever the guests come.
  [[nodiscard]] HostAddresses addresses(const std::string& chosen) const {
    HostAddresses host{.ranks = {}, .chosen = !chosen.empty(), .all = all_};
    if (host.chosen) host.ranks = {asio::ip::make_address(chosen)};
    return host;
  }

  Gathering gathering(std::size_t node, const Agent& agent) const {
    return {.key = agent.key == StepKey{} ? key_ : agent.key,
            .layout = layout_,
            .node = static_cast<NodeIndex>(node),
            .deadline = start_ + patience_,
            .warnings = agent.warnings,
            .caller = {key_, place_, static_cast<NodeIndex>(node),
                       static_cast<std::uint32_t>(layout_.nodes.size())},
            .exchange = node == 0 ? exchange_ : Port{0}};
  }

  static void expect_met(const std::vector<Outcome>& outcomes, const std::string& address,
                         Port port) {
    for (const auto& outcome : outcomes) {
      EXPECT_EQ(outcome.failure, "");
      EXPECT_EQ(outcome.rendezvous.address, address);
      EXPECT_EQ(outcome.rendezvous.port, port);
    }
  }

  WayToHost unreachable_{asio::ip::make_address("255.255.255.255")};
  StepKey key_ = make_step_key();
  Layout layout_;
  std::optional<HeldPort> held_ = HeldPort::hold(free_port());
  std::vector<Port> ports_{held_->port()};
  WayToHost way_{asio::ip::make_address("127.0.0.1")};
  Addresses all_{asio::ip::make_address("127.0.0.1")};
  channel::Place place_;  // of the supervisor; nobody to ask
  Port exchange_ = 0;     // of the host
  milliseconds patience_{20'000};
  Clock::time_point start_;
  Clock::duration host_took_{};
  Clock::duration took_{};
  std::thread before_host_;
};

TEST_F(Gather, AllAgreeOnAddressAndPort) {
  expect_met(gather({{}, {}, {}, {}}, "127.0.0.1"), "127.0.0.1", held_->port());
  EXPECT_LT(took_, seconds{3});
}

TEST_F(Gather, AllAgreeOnTheAddressWhereTheFirstGuestFoundTheHost) {
  way_ = {asio::ip::make_address("127.0.0.2")};
  expect_met(gather({{}, {}, {}}, ""), "127.0.0.2", held_->port());
}

TEST_F(Gather, AllAgreeOnTheAddressThatTheHostChose) {
  expect_met(gather({{}, {}, {}}, "127.0.0.2"), "127.0.0.2", held_->port());
}

TEST_F(Gather, TellsAllWhereTheWorkerLibrarysRanksMeet) {
  exchange_ = 61007;
  for (const auto& outcome : gather({{}, {}, {}}, "127.0.0.1")) {
    EXPECT_EQ(outcome.exchange, 61007);
  }
}

TEST_F(Gather, GoesOnWhereTheyHaveNoPlaceToMeet) {
  const auto outcomes = gather({{}, {}}, "127.0.0.1");
  expect_met(outcomes, "127.0.0.1", held_->port());
  for (const auto& outcome : outcomes) EXPECT_EQ(outcome.exchange, 0);
}

TEST_F(Gather, LeavesThePortToRankZero) {
  gather({{}, {}, {}}, "127.0.0.1");
  EXPECT_FALSE(client(held_->port()));
  EXPECT_TRUE(test::server(held_->port(), true));
}

TEST_F(Gather, WaitsForAHostThatIsLate) {
  before_host_ = std::thread([] { std::this_thread::sleep_for(milliseconds{300}); });
  expect_met(gather({{}, {}}, "127.0.0.1"), "127.0.0.1", held_->port());
}

TEST_F(Gather, NamesTheNodeThatDidNotCome) {
  patience_ = milliseconds{400};
  const auto outcomes = gather({{}, {}, {.absent = true}}, "127.0.0.1");
  EXPECT_NE(outcomes[0].failure.find("no word from node2 within"), std::string::npos)
      << outcomes[0].failure;
  EXPECT_FALSE(outcomes[0].told_by_other);
  EXPECT_EQ(outcomes[1].failure, outcomes[0].failure);
  EXPECT_TRUE(outcomes[1].told_by_other);
  EXPECT_LT(took_, seconds{3});
}

TEST_F(Gather, BringsAGuestsTroubleToAllAndLetsTheHostTellIt) {
  const auto outcomes = gather({{}, {.trouble = "node1 has no ib0"}, {}}, "127.0.0.1");
  for (const auto& outcome : outcomes) EXPECT_EQ(outcome.failure, "node1 has no ib0");
  EXPECT_FALSE(outcomes[0].told_by_other);
  EXPECT_TRUE(outcomes[1].told_by_other);
  EXPECT_TRUE(outcomes[2].told_by_other);
}

TEST_F(Gather, BringsTheHostsTroubleToAll) {
  const auto outcomes = gather({{.trouble = "no program"}, {}, {}}, "");
  for (const auto& outcome : outcomes) EXPECT_EQ(outcome.failure, "no program");
  EXPECT_FALSE(outcomes[0].told_by_other);
  EXPECT_TRUE(outcomes[1].told_by_other);
}

TEST_F(Gather, TellsOneTroubleOfManyNodesInOneLine) {
  const auto outcomes = gather({{}, {.trouble = "no ib0"}, {.trouble = "no ib0"}}, "127.0.0.1");
  EXPECT_TRUE(outcomes[0].failure.starts_with("no ib0")) << outcomes[0].failure;
  EXPECT_NE(outcomes[0].failure.find("node2"), std::string::npos) << outcomes[0].failure;
  EXPECT_EQ(outcomes[0].failure.find('\n'), std::string::npos);
}

TEST_F(Gather, BringsEveryWarningToTheHostOnce) {
  const auto outcomes =
      gather({{.warnings = {"few cores"}}, {.warnings = {"few cores"}}, {}}, "127.0.0.1");
  EXPECT_EQ(outcomes[0].warnings.size(), 1U);
  EXPECT_NE(outcomes[0].warnings.at(0).find("few cores"), std::string::npos);
  EXPECT_TRUE(outcomes[1].warnings.empty());
}

// Strangers on the host's port: they must neither join nor hold anything up.
TEST_F(Gather, IsNotDisturbedByAStrangerThatTalksNonsenseOrNothing) {
  std::atomic<bool> over = false;
  std::thread stranger([&] {
    std::vector<Descriptor> silent;
    while (!over) {
      auto socket = client(held_->port());
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
  expect_met(gather(agents, "127.0.0.1"), "127.0.0.1", held_->port());
  EXPECT_LT(took_, seconds{3});
  over = true;
  stranger.join();
}

TEST_F(Gather, DoesNotLetInAGuestWithAnotherStepsKey) {
  patience_ = milliseconds{700};
  const auto outcomes = gather({{}, {.key = make_step_key()}, {}}, "127.0.0.1");
  EXPECT_NE(outcomes[0].failure.find("no word from node1"), std::string::npos)
      << outcomes[0].failure;
  EXPECT_NE(outcomes[1].failure.find("no agent answered on node0"), std::string::npos)
      << outcomes[1].failure;
  EXPECT_FALSE(outcomes[1].told_by_other);
  EXPECT_EQ(outcomes[2].failure, outcomes[0].failure);
  EXPECT_LT(took_, seconds{4});
}

// Another program's server on the first candidate port.
class ForeignServer : public Gather {
 protected:
  void run(const std::string& greeting, bool hang_up) {
    const auto port = free_port();
    auto listener = test::server(port, true);
    std::thread serving([&] {
      std::vector<Descriptor> open;
      while (true) {
        Descriptor peer(accept(listener.get(), nullptr, nullptr));
        if (!peer) return;
        send(peer.get(), greeting.data(), greeting.size(), MSG_NOSIGNAL);
        if (!hang_up) open.push_back(std::move(peer));
      }
    });
    ports_ = {port, held_->port()};
    expect_met(gather({{}, {}, {}}, "127.0.0.1"), "127.0.0.1", held_->port());
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

TEST_F(Gather, FailsFastWhereTheHostCannotBeReached) {
  layout_ = {{"node0", "node1"}, {0, 1}, ""};
  start_ = Clock::now();
  const auto outcome = join_gathering(gathering(1, {}), ports_, unreachable_, "");
  EXPECT_LT(Clock::now() - start_, seconds{3});
  EXPECT_NE(outcome.failure.find("node1 cannot reach node0 at 255.255.255.255"), std::string::npos)
      << outcome.failure;
  EXPECT_FALSE(outcome.told_by_other);
}

TEST_F(Gather, TellsThatTheChosenAddressIsOutOfReachOfAGuest) {
  const auto outcomes = gather({{}, {}}, "255.255.255.255");
  EXPECT_NE(outcomes[0].failure.find("node1 cannot reach node0"), std::string::npos)
      << outcomes[0].failure;
  EXPECT_TRUE(outcomes[1].told_by_other);
  EXPECT_LT(took_, seconds{3});
}

// With a supervisor to ask.
class GatherWithSupervisor : public Gather {
 protected:
  GatherWithSupervisor() {
    server_.start();
    place_ = {.port = server_.place().port, .addresses = {"127.0.0.1"}};
  }

  // One line for the user, told by one node.
  static void expect_told_once(const std::vector<Outcome>& outcomes, const std::string& words) {
    int told = 0;
    for (const auto& outcome : outcomes) {
      EXPECT_NE(outcome.failure.find(words), std::string::npos) << outcome.failure;
      told += outcome.told_by_other ? 0 : 1;
    }
    EXPECT_EQ(told, 1);
  }

  channel::Server server_{key_, std::nullopt, nullptr};
};

TEST_F(GatherWithSupervisor, MeetsWhereTheSupervisorSaysWhenTheKnownAddressIsDead) {
  way_ = unreachable_;
  all_ = {asio::ip::make_address("127.0.0.2")};
  expect_met(gather({{}, {}, {}}, ""), "127.0.0.2", held_->port());
  EXPECT_LT(took_, seconds{3});
}

TEST_F(GatherWithSupervisor, MeetsWhenTheHostsNameCannotBeResolved) {
  way_ = {std::nullopt, "node1: cannot resolve node0"};
  all_ = {asio::ip::make_address("127.0.0.3")};
  expect_met(gather({{}, {}}, ""), "127.0.0.3", held_->port());
  EXPECT_LT(took_, seconds{3});
}

TEST_F(GatherWithSupervisor, MeetsWhenNothingAnswersAtTheKnownAddress) {
  const auto port = free_port();
  ports_ = {port};  // the host has held another
  expect_met(gather({{}, {}}, ""), "127.0.0.1", held_->port());
  EXPECT_LT(took_, seconds{4});
}

TEST_F(GatherWithSupervisor, TellsOnceThatANodeCannotComeAndKeepsNobodyWaiting) {
  way_ = unreachable_;
  all_ = {asio::ip::make_address("255.255.255.255")};
  const auto outcomes = gather({{}, {}, {}}, "127.0.0.1");
  expect_told_once(outcomes, "cannot reach node0 at 255.255.255.255");
  EXPECT_LT(took_, seconds{5});
}

TEST_F(GatherWithSupervisor, TellsOnceThatTheHostIsAbsent) {
  patience_ = milliseconds{1500};
  layout_ = {{"node0", "node1", "node2"}, {0, 1, 2}, ""};
  start_ = Clock::now();
  held_.reset();
  Outcome other;
  std::thread guest([&] { other = join_gathering(gathering(2, {}), ports_, way_, ""); });
  const auto outcome = join_gathering(gathering(1, {}), ports_, way_, "");
  guest.join();
  expect_told_once({outcome, other}, "no agent answered on node0");
}

TEST_F(Gather, AgreesOnAnAddressThatAllReachWhenTheyCameByDifferentOnes) {
  layout_ = {{"node0", "node1", "node2"}, {0, 1, 2}, ""};
  start_ = Clock::now();
  std::array<Outcome, 3> outcomes;
  std::thread one([&] {
    outcomes[1] =
        join_gathering(gathering(1, {}), ports_, {asio::ip::make_address("127.0.0.2")}, "");
  });
  std::thread other([&] {
    outcomes[2] =
        join_gathering(gathering(2, {}), ports_, {asio::ip::make_address("127.0.0.3")}, "");
  });
  HostAddresses host{
      .ranks = {asio::ip::make_address("255.255.255.255"), asio::ip::make_address("127.0.0.4")},
      .chosen = false,
      .all = {}};
  outcomes[0] = host_gathering(gathering(0, {}), *held_, host, "");
  one.join();
  other.join();
  expect_met({outcomes.begin(), outcomes.end()}, "127.0.0.4", held_->port());
}

TEST_F(Gather, NoticesAtOnceThatTheHostsAgentDied) {
  layout_ = {{"node0", "node1", "node2"}, {0, 1, 2}, ""};
  start_ = Clock::now();
  // The host gives up while the guest waits for a third node.
  std::thread host([&] {
    auto impatient = gathering(0, {});
    impatient.deadline = start_ + milliseconds{300};
    host_gathering(impatient, *held_, addresses("127.0.0.1"), "");
  });
  const auto outcome = join_gathering(gathering(1, {}), ports_, way_, "");
  host.join();
  EXPECT_NE(outcome.failure, "");
  EXPECT_LT(Clock::now() - start_, seconds{3});
}

}  // namespace
}  // namespace muster::agent
