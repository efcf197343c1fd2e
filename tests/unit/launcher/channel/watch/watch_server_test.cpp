#include "launcher/channel/watch/watch_server.hpp"

#include "launcher/channel/session.hpp"
#include "relay_double.hpp"
#include "watched_step.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>

namespace muster::watch {
namespace {

class StationTest : public WatchedStep {
 protected:
  // The other end of a session, which may send anything.
  struct Liar {
    std::unique_ptr<channel::Session> session;
    bool dropped = false;
  };

  void connect(Liar& liar, layout::NodeIndex node, std::uint32_t count = nodes) {
    auto one = client(node);
    one.nodes = count;
    channel::open_session(io_, one, seconds{30}, [&](auto session) {
      liar.session = std::move(session);
      liar.session->receive({.message = [](std::string_view) {},
                             .ended = [&](channel::SessionEnd) { liar.dropped = true; }});
    });
    ASSERT_TRUE(soon([&] { return liar.session != nullptr; }));
  }

  // Whether a node that sends this after its hello is dropped.
  bool drops(const std::string& text, layout::NodeIndex node = 1) {
    Liar liar;
    connect(liar, node);
    liar.session->send(to_text(FromAgent(hello(node))));
    liar.session->send(text);
    return soon([&] { return liar.dropped; });
  }
};

TEST_F(StationTest, TellsAllToEndAlsoWhoComesLater) {
  open();
  const auto early = link(0);
  ASSERT_TRUE(soon_is(0, NodeState::watched));
  watch_server_->end_all(seconds{7});
  ASSERT_TRUE(soon([&] { return ends_.size() == 1; }));
  const auto late = link(2);
  ASSERT_TRUE(soon([&] { return ends_.size() == 2; }));
  EXPECT_EQ(ends_[0], std::pair(0U, milliseconds{seconds{7}}));
  EXPECT_EQ(ends_[1], std::pair(2U, milliseconds{seconds{7}}));
}

TEST_F(StationTest, HandsTheUsersSignalOnceToEveryAgentThatIsConnected) {
  open();
  EXPECT_FALSE(watch_server_->signal_all(SIGTERM)) << "nobody is there to hand it on";
  const auto one = link(0);
  const auto other = link(2);
  ASSERT_TRUE(soon_is(0, NodeState::watched));
  ASSERT_TRUE(soon_is(2, NodeState::watched));
  EXPECT_TRUE(watch_server_->signal_all(SIGUSR1));
  ASSERT_TRUE(soon([&] { return signals_.size() == 2; }));
  const auto late = link(1);
  ASSERT_TRUE(soon_is(1, NodeState::watched));
  std::ranges::sort(signals_);
  EXPECT_EQ(signals_, (std::vector<std::pair<layout::NodeIndex, int>>{{0, SIGUSR1}, {2, SIGUSR1}}));
}

TEST_F(StationTest, TakesASilentNodeForLost) {
  open(milliseconds{300});
  Relay relay(io_, server_->address().port);
  const auto agent = link(0, relay.port());
  ASSERT_TRUE(soon([&] { return agent->established(); }));
  relay.lose(true);
  ASSERT_TRUE(soon_is(0, NodeState::lost));
  const auto seen = watch_server_->seen();
  ASSERT_TRUE(seen.nodes.at(0).last_word);
  EXPECT_LE(seen.nodes.at(0).last_word->time + milliseconds{300},
            watch_server_->moment(std::chrono::steady_clock::now()).time);
}

// Otherwise the report would have no reason for the step's end, and nothing would restart it.
TEST_F(StationTest, RemembersTheLossThatEndedTheStepWhenTheNodeComesBack) {
  open(milliseconds{900});
  Relay relay(io_, server_->address().port);
  const auto agent = link(0, relay.port());
  ASSERT_TRUE(soon([&] { return agent->established(); }));
  relay.lose(true);
  ASSERT_TRUE(soon_is(0, NodeState::lost));
  const auto word = watch_server_->seen().nodes.at(0).last_word;
  watch_server_->end_all(seconds{1});
  relay.lose(false);
  agent->send(Remark{"back"});
  ASSERT_TRUE(soon([&] { return remark(0) == "back"; }));
  EXPECT_EQ(state(0), NodeState::lost);
  EXPECT_EQ(watch_server_->seen().nodes.at(0).last_word, word);
}

TEST_F(StationTest, KeepsANodeThatComesBackWhereItsLossHasEndedNothing) {
  open(milliseconds{900});
  Relay relay(io_, server_->address().port);
  const auto agent = link(0, relay.port());
  ASSERT_TRUE(soon([&] { return agent->established(); }));
  relay.lose(true);
  ASSERT_TRUE(soon_is(0, NodeState::lost));
  relay.lose(false);
  EXPECT_TRUE(soon_is(0, NodeState::watched));
}

TEST_F(StationTest, KnowsAnAgentThatHasGoneFromANodeThatIsLost) {
  open();
  auto agent = link(0);
  ASSERT_TRUE(soon_is(0, NodeState::watched));
  agent.reset();
  EXPECT_TRUE(soon_is(0, NodeState::agent_gone));
}

TEST_F(StationTest, KeepsANodeWhoseAgentComesBackInTime) {
  open();
  Relay relay(io_, server_->address().port);
  const auto agent = link(0, relay.port());
  ASSERT_TRUE(soon([&] { return agent->established(); }));
  relay.cut();
  ASSERT_TRUE(soon([&] { return relay.connections() == 2; }));
  agent->send(Remark{"back"});
  ASSERT_TRUE(soon([&] { return remark(0) == "back"; }));
  EXPECT_EQ(state(0), NodeState::watched);
}

TEST_F(StationTest, IsCompleteWhenEveryNodeIsDoneOrGone) {
  open();
  std::vector<std::unique_ptr<WatchClient>> agents;
  for (const auto node : {0U, 1U, 2U}) agents.push_back(link(node));
  for (const auto node : {0U, 1U, 2U}) ASSERT_TRUE(soon_is(node, NodeState::watched));
  EXPECT_FALSE(watch_server_->complete());
  int done = 0;
  for (const auto node : {0U, 1U}) agents[node]->finish(seconds{30}, [&] { ++done; });
  ASSERT_TRUE(soon([&] { return done == 2; }));
  EXPECT_FALSE(watch_server_->complete());
  agents[2].reset();
  EXPECT_TRUE(soon([&] { return watch_server_->complete(); }));
}

TEST_F(StationTest, SaysWhatHappensAsItDoes) {
  std::atomic<int> seen = 0;
  std::atomic<int> changes = 0;
  heartbeat_ = far;
  watch_server_ = std::make_shared<WatchServer>(
      WatchLimits{},
      WatchEvents{.ended =
                      [&](layout::NodeIndex node, const report::RankEnd& end) {
                        EXPECT_EQ(node, 2U);
                        seen = static_cast<int>(end.place.rank);
                        watch_server_->end_all(seconds{1});  // as the supervisor does
                      },
                  .node_changed = [&](layout::NodeIndex node,
                                      NodeState) { changes += static_cast<int>(node); }});
  server_ = std::make_unique<channel::Server>(key_, std::nullopt, nullptr, nullptr,
                                              channel::Limits{}, watch_server_);
  server_->start();
  const auto agent = link(2);
  agent->send(ended(5));
  ASSERT_TRUE(soon([&] { return !ends_.empty(); }));
  EXPECT_EQ(seen, 5);
  EXPECT_EQ(changes, 2);
}

// As after Ctrl-Z: what it did not hear in the meantime is not silence.
TEST_F(StationTest, TakesNobodyForLostBecauseItSleptItself) {
  std::atomic<bool> slept = false;
  std::atomic<int> lost = 0;
  heartbeat_ = milliseconds{1500};
  watch_server_ = std::make_shared<WatchServer>(
      WatchLimits{.heartbeat = heartbeat_},
      WatchEvents{
          .ended =
              [&](layout::NodeIndex, const report::RankEnd&) {
                std::this_thread::sleep_for(2 * heartbeat_);
                slept = true;
              },
          .node_changed = [&](layout::NodeIndex,
                              NodeState state) { lost += state == NodeState::watched ? 0 : 1; }});
  server_ = std::make_unique<channel::Server>(key_, std::nullopt, nullptr, nullptr,
                                              channel::Limits{}, watch_server_);
  server_->start();
  Relay relay(io_, server_->address().port);
  const auto waking = link(0);
  const auto other = link(1, relay.port());
  ASSERT_TRUE(soon([&] { return waking->established() && other->established(); }));
  relay.lose(true);
  waking->send(ended(0));
  ASSERT_TRUE(soon([&] { return slept.load(); }));
  waking->send(Remark{"it has looked since"});
  ASSERT_TRUE(soon([&] { return remark(0) == "it has looked since"; }));
  EXPECT_EQ(lost, 0);
  EXPECT_TRUE(soon_is(1, NodeState::lost));  // if it stays silent
}

TEST_F(StationTest, EndsAConnectionWhoseMessageIsRepeated) {
  open();
  Relay relay(io_, server_->address().port);
  const auto honest = link(0);
  const auto agent = link(1, relay.port());
  ASSERT_TRUE(soon([&] { return agent->established() && honest->established(); }));
  agent->send(ended(2));
  ASSERT_TRUE(soon([&] { return watch_server_->seen().ends.size() == 1; }));
  relay.repeat();
  ASSERT_TRUE(soon([&] { return relay.connections() == 2; }));
  EXPECT_NE(remark(1).find("could not be authenticated"), std::string::npos) << remark(1);
  EXPECT_TRUE(soon_is(1, NodeState::watched));
  EXPECT_EQ(state(0), NodeState::watched);
}

TEST_F(StationTest, EndsAConnectionWhoseMessageIsChanged) {
  open();
  Relay relay(io_, server_->address().port);
  const auto agent = link(1, relay.port());
  ASSERT_TRUE(soon([&] { return agent->established(); }));
  relay.change_next();
  agent->send(ended(2));
  ASSERT_TRUE(
      soon([&] { return watch_server_->seen().ends.size() == 1; }));  // by the next connection
  EXPECT_EQ(relay.connections(), 2U);
  EXPECT_NE(remark(1).find("could not be authenticated"), std::string::npos) << remark(1);
}

TEST_F(StationTest, BelievesNoNodeThatSpeaksForAnother) {
  open();
  const auto honest = link(0);
  ASSERT_TRUE(soon_is(0, NodeState::watched));
  auto claim = hello(1);
  claim.ranks[0].rank = 0;
  EXPECT_TRUE(drops(to_text(FromAgent(claim))));
  EXPECT_TRUE(drops(to_text(FromAgent(ended(0)))));
  EXPECT_TRUE(drops(to_text(FromAgent(ended(4)))));
  EXPECT_TRUE(drops(to_text(FromAgent(ended(6)))));
  EXPECT_TRUE(drops(to_text(FromAgent(Stuck{{0}}))));
  auto other = hello(1);
  other.ranks_of_step = 7;
  EXPECT_TRUE(drops(to_text(FromAgent(other))));
  EXPECT_TRUE(drops("nonsense"));
  EXPECT_TRUE(watch_server_->seen().ends.empty());
  EXPECT_EQ(state(0), NodeState::watched);
}

TEST_F(StationTest, HearsNothingBeforeTheHello) {
  open();
  Liar liar;
  connect(liar, 1);
  liar.session->send(to_text(FromAgent(Remark{"me"})));
  EXPECT_TRUE(soon([&] { return liar.dropped; }));
}

TEST_F(StationTest, TakesNoNodeOutsideOfTheStep) {
  open();
  const auto honest = link(0);
  ASSERT_TRUE(soon_is(0, NodeState::watched));
  Liar outside;
  connect(outside, nodes);
  EXPECT_TRUE(soon([&] { return outside.dropped; }));
  Liar elsewhere;
  connect(elsewhere, 1, 1U << 30);
  EXPECT_TRUE(soon([&] { return elsewhere.dropped; }));
  EXPECT_EQ(watch_server_->seen().nodes.size(), nodes);
}

TEST_F(StationTest, TakesTheNewestConnectionForTheAgents) {
  open();
  Liar old;
  connect(old, 1);
  const auto agent = link(1);
  EXPECT_TRUE(soon([&] { return old.dropped; }));
  EXPECT_TRUE(soon_is(1, NodeState::watched));
}

TEST_F(StationTest, DropsAnAgentThatFloods) {
  open();
  const auto honest = link(0);
  Liar liar;
  connect(liar, 1);
  liar.session->send(to_text(FromAgent(hello(1))));
  // Short events, each of which costs work: together less than its own end of the session holds back.
  const auto text = to_text(FromAgent(Remark{"!"}));
  for (int i = 0; i < 40'000; ++i) liar.session->send(text);
  ASSERT_TRUE(soon([&] { return liar.dropped; }));
  ASSERT_TRUE(soon([&] { return honest->established(); }));
  EXPECT_NE(remark(1).find("more data than allowed"), std::string::npos) << remark(1);
  EXPECT_TRUE(soon_is(1, NodeState::agent_gone));
}

// If the hard limit of open files is low, some nodes are not watched; questions still work.
TEST_F(StationTest, LeavesConnectionsToQuestions) {
  open();
  server_ = std::make_unique<channel::Server>(key_, std::nullopt, nullptr, nullptr,
                                              channel::Limits{.sessions = 1}, watch_server_);
  server_->start();
  const auto agent = link(0);
  ASSERT_TRUE(soon_is(0, NodeState::watched));
  Liar refused;
  connect(refused, 1);
  EXPECT_TRUE(soon([&] { return refused.dropped; }));
  EXPECT_EQ(client(1).ask("notice", "still here", std::chrono::steady_clock::now() + seconds{30}),
            "");
  EXPECT_EQ(state(0), NodeState::watched);
}

TEST_F(StationTest, IsDestroyedBeforeOrAfterTheServer) {
  open();
  const auto agent = link(0);
  ASSERT_TRUE(soon_is(0, NodeState::watched));
  watch_server_.reset();
  server_.reset();
  open();
  const auto other = link(1);
  ASSERT_TRUE(soon_is(1, NodeState::watched));
  server_.reset();
  watch_server_->end_all(seconds{1});
  EXPECT_EQ(state(1), NodeState::watched);
}

TEST_F(StationTest, CountsAllNodesThatAreThereWhenAsked) {
  open();
  const auto one = link(0);
  const auto other = link(2);
  ASSERT_TRUE(soon_is(0, NodeState::watched));
  ASSERT_TRUE(soon_is(2, NodeState::watched));
  std::atomic<bool> counted = false;
  std::vector<std::optional<status::Counts>> counts;
  std::thread asker([&] {
    counts = watch_server_->count(seconds{30});
    counted = true;
  });
  EXPECT_TRUE(soon([&] { return counted.load(); }));
  asker.join();
  ASSERT_EQ(counts.size(), nodes);
  EXPECT_EQ(counts[0], counts_of(0));
  EXPECT_FALSE(counts[1]) << "no agent has come";
  EXPECT_EQ(counts[2], counts_of(2));
}

TEST_F(StationTest, ANodeThatDoesNotAnswerACountIsNotWaitedForLonger) {
  open();
  Liar liar;
  connect(liar, 1);
  auto said = hello(1);
  said.counts = true;
  liar.session->send(to_text(FromAgent(said)));
  ASSERT_TRUE(soon_is(1, NodeState::watched));
  const auto counts = watch_server_->count(milliseconds{1});
  ASSERT_EQ(counts.size(), nodes);
  EXPECT_FALSE(counts[1]);
  EXPECT_FALSE(liar.dropped);
}

TEST_F(StationTest, ACountThatNobodyHasAskedForDropsTheNode) {
  open();
  EXPECT_TRUE(drops(to_text(FromAgent(Counted{.number = 1, .counts = {}}))));
}

}  // namespace
}  // namespace muster::watch
