#include "launcher/channel/watch/watch_client.hpp"

#include "relay_double.hpp"
#include "watched_step.hpp"

#include <csignal>

namespace muster::watch {
namespace {

class LinkTest : public WatchedStep {};

TEST_F(LinkTest, IsEstablishedOnceABeatIsAnswered) {
  open();
  const auto agent = link(1);
  EXPECT_FALSE(agent->established());
  ASSERT_TRUE(soon([&] { return agent->established(); }));
  EXPECT_EQ(state(1), NodeState::watched);
  const auto seen = watch_server_->seen();
  EXPECT_EQ(seen.step, "42.0");
  EXPECT_EQ(seen.ranks, 6U);
  EXPECT_EQ(seen.nodes.at(1).name, "node1");
  EXPECT_EQ(seen.nodes.at(1).tasks, 2U);
  EXPECT_EQ(seen.nodes.at(0).state, NodeState::silent);
}

TEST_F(LinkTest, TellsTimesByTheSupervisorsClock) {
  open();
  std::this_thread::sleep_for(milliseconds{30});  // the clocks start at different times
  const auto agent = link(0);
  ASSERT_TRUE(soon([&] { return agent->established(); }));
  const auto now = std::chrono::steady_clock::now();
  const auto here = agent->moment(now);
  const auto there = watch_server_->moment(now);
  EXPECT_LE(std::chrono::abs(here.time - there.time), here.error);
  EXPECT_LT(here.error, seconds{5});
}

// For example in a run that ends before a beat was answered: the supervisor has existed for longer than the
// agent.
TEST_F(LinkTest, NothingIsBeforeTheStepThatAnAgentSaysWithoutKnowingTheSupervisorsClock) {
  open();
  std::this_thread::sleep_for(milliseconds{50});
  const auto begin = std::chrono::steady_clock::now();
  const auto agent = link(0);
  auto words = hello(0);
  words.started = agent->moment(begin + milliseconds{1});
  EXPECT_EQ(words.started.error, unknown_error);
  const auto before = agent->moment(begin);
  words.agent = report::AgentTimes{before, before, before};
  auto end = ended(1);
  end.end.time = agent->moment(begin + milliseconds{2});
  agent->start(std::move(words));
  agent->send(std::move(end));
  ASSERT_TRUE(soon([&] { return watch_server_->seen().ends.size() == 1; }));
  const auto seen = watch_server_->seen();
  const auto& started = seen.nodes.at(0).started;
  ASSERT_TRUE(started);
  const auto heard = watch_server_->moment(std::chrono::steady_clock::now());
  ASSERT_TRUE(seen.nodes.at(0).agent);
  EXPECT_EQ(started->time - seen.nodes.at(0).agent->met.time, milliseconds{1});
  EXPECT_GE(started->time, watch_server_->moment(begin).time);
  EXPECT_LE(seen.ends.front().time.time, heard.time);
  EXPECT_GE(seen.ends.front().time.time, started->time);
  EXPECT_LE(seen.ends.front().time.time, started->time + milliseconds{1});
  EXPECT_GE(started->error, started->time - watch_server_->moment(begin).time);
  EXPECT_LE(started->error, heard.time);
}

TEST_F(LinkTest, SendsWhatHappenedBeforeItWasConnected) {
  open();
  const auto agent = link(0);
  agent->send(ended(1));
  agent->send(Remark{"said early"});
  ASSERT_TRUE(soon([&] { return watch_server_->seen().ends.size() == 1; }));
  ASSERT_TRUE(soon([&] { return remark(0) == "said early"; }));
  EXPECT_EQ(watch_server_->seen().node_of, std::vector<std::uint32_t>{0});
}

TEST_F(LinkTest, SendsTheEndsOfTasksThatEndTogetherAsMessagesOfTheirOwn) {
  open();
  const auto agent = link(0);
  ASSERT_TRUE(soon([&] { return agent->established(); }));
  std::vector<FromAgent> ends;
  for (const auto rank : {0U, 1U}) ends.emplace_back(ended(rank));
  agent->send(std::move(ends));
  agent->send(Remark{"said after them"});
  ASSERT_TRUE(soon([&] { return remark(0) == "said after them"; }));
  EXPECT_EQ(watch_server_->seen().ends.size(), 2U);
}

TEST_F(LinkTest, ConnectsAgainAndLosesAndDoublesNothing) {
  open();
  Relay relay(io_, server_->address().port);
  const auto agent = link(0, relay.port());
  ASSERT_TRUE(soon([&] { return agent->established(); }));
  agent->send(ended(0));
  ASSERT_TRUE(soon([&] { return watch_server_->seen().ends.size() == 1; }));
  relay.cut();
  agent->send(ended(1));  // into a connection that no longer exists
  EXPECT_TRUE(agent->established());
  ASSERT_TRUE(soon([&] { return watch_server_->seen().ends.size() == 2; }));
  EXPECT_EQ(relay.connections(), 2U);
  EXPECT_EQ(state(0), NodeState::watched);
  bool done = false;
  agent->finish(seconds{30}, [&] { done = true; });
  ASSERT_TRUE(soon([&] { return done; }));
  EXPECT_EQ(watch_server_->seen().ends.size(), 2U);
}

TEST_F(LinkTest, SaysByeAfterEverythingElse) {
  open();
  const auto agent = link(0);
  bool done = false;
  for (const auto rank : {0U, 1U}) agent->send(ended(rank, 0));
  agent->finish(seconds{30}, [&] { done = true; });
  EXPECT_FALSE(done);
  ASSERT_TRUE(soon([&] { return done; }));
  EXPECT_EQ(state(0), NodeState::done);
  EXPECT_EQ(watch_server_->seen().ends.size(), 2U);
  EXPECT_FALSE(watch_server_->complete());  // nothing is known about the others
}

TEST_F(LinkTest, IsDoneAtOnceWithoutAChannel) {
  const WatchClient none(io_, {}, far, true, {});
  WatchClient unreachable(io_, {.key = key_, .server = {1, {"127.0.0.1"}}, .node = 0, .nodes = 1},
                          far, true, {});
  int done = 0;
  unreachable.start(hello(0));
  unreachable.finish(seconds{30}, [&] { ++done; });
  WatchClient silent(io_, {}, far, true, {});
  silent.start(hello(0));
  silent.finish(seconds{30}, [&] { ++done; });
  EXPECT_TRUE(soon([&] { return done == 2; }));
  EXPECT_FALSE(unreachable.established());
}

TEST_F(LinkTest, IsDoneAtTheDeadlineWhereNobodyHears) {
  open();
  Relay relay(io_, server_->address().port);
  const auto agent = link(0, relay.port());
  ASSERT_TRUE(soon([&] { return agent->established(); }));
  relay.lose(true);
  bool done = false;
  agent->finish(milliseconds{50}, [&] { done = true; });
  EXPECT_TRUE(soon([&] { return done; }));
}

TEST_F(LinkTest, HoldsTheRanksOfANodeThatIsCutOffUntilTheSupervisorAnswersAnew) {
  open(milliseconds{300});
  Relay relay(io_, server_->address().port);
  const auto agent = link(0, relay.port());
  ASSERT_TRUE(soon([&] { return agent->established(); }));
  EXPECT_FALSE(holds_);
  EXPECT_EQ(looks_at_suspension_, 0);
  relay.lose(true);
  ASSERT_TRUE(soon([&] { return holds_; }));
  EXPECT_EQ(silent_, 1);
  EXPECT_TRUE(soon([&] { return looks_at_suspension_ > 0; }));
  EXPECT_TRUE(soon_is(0, NodeState::lost));
  relay.cut();
  relay.lose(false);
  agent->send(Remark{"is back"});
  EXPECT_TRUE(soon_is(0, NodeState::watched));
  EXPECT_TRUE(soon([&] { return remark(0) == "is back" && !holds_; }));
  EXPECT_EQ(cut_off_, 0);
}

TEST_F(LinkTest, HoldsTheRanksWhileAConnectionIsGoneThatTheOtherSideHasEnded) {
  open();
  Relay relay(io_, server_->address().port);
  const auto agent = link(0, relay.port());
  ASSERT_TRUE(soon([&] { return agent->established(); }));
  relay.cut();
  ASSERT_TRUE(soon([&] { return holds_; }));
  EXPECT_TRUE(soon([&] { return !holds_; }));
  EXPECT_EQ(state(0), NodeState::watched);
}

TEST_F(LinkTest, SaysOfEachSilenceThatItLastsBeforeTheNodeIsCutOff) {
  open(milliseconds{1500});
  Relay relay(io_, server_->address().port);
  const auto agent = link(0, relay.port());
  ASSERT_TRUE(soon([&] { return agent->established(); }));
  EXPECT_EQ(silent_, 0);
  for (const int silences : {1, 2}) {
    relay.lose(true);
    ASSERT_TRUE(soon([&] { return silent_ == silences; }));
    EXPECT_EQ(cut_off_, 0);
    relay.cut();
    relay.lose(false);
    agent->send(Remark{std::to_string(silences)});
    ASSERT_TRUE(soon([&] { return remark(0) == std::to_string(silences); }));
    ASSERT_TRUE(watch_server_->signal_all(SIGCONT));  // only the supervisor ends a silence
    ASSERT_TRUE(soon([&] { return signals_.size() == static_cast<std::size_t>(silences); }));
  }
}

// A paused virtual machine, for example: the ranks must not be ended because of it. After `scontrol suspend`
// the agent does not sleep: see Lease's tests.
TEST_F(LinkTest, DoesNotTakeItsOwnSleepForTheSupervisorsSilence) {
  open(milliseconds{300});
  const auto agent = link(0);
  ASSERT_TRUE(soon([&] { return agent->established(); }));
  std::this_thread::sleep_for(milliseconds{900});  // this thread does nothing
  EXPECT_TRUE(soon_is(0, NodeState::watched));
  io_.restart();
  io_.run_for(milliseconds{500});
  EXPECT_EQ(cut_off_, 0);
  EXPECT_TRUE(soon([&] { return !holds_; }));
}

TEST_F(LinkTest, IsNotCutOffFromASupervisorThatItsUserHasStopped) {
  open(milliseconds{1500});
  Relay relay(io_, server_->address().port);
  const auto agent = link(0, relay.port());
  ASSERT_TRUE(soon([&] { return agent->established(); }));
  watch_server_->pause();
  const auto paused = std::chrono::steady_clock::now();
  ASSERT_TRUE(soon([&] { return std::chrono::steady_clock::now() > paused + milliseconds{20}; }));
  relay.lose(true);
  ASSERT_TRUE(soon([&] { return std::chrono::steady_clock::now() > paused + seconds{4}; }));
  EXPECT_FALSE(holds_);
}

// `paused` applies to the connection: a supervisor that dies while it is stopped sends nothing more.
TEST_F(LinkTest, HoldsTheRanksWhenAStoppedSupervisorDies) {
  open(milliseconds{300});
  const auto agent = link(0);
  ASSERT_TRUE(soon([&] { return agent->established(); }));
  watch_server_->pause();
  const auto paused = std::chrono::steady_clock::now();
  ASSERT_TRUE(soon([&] { return std::chrono::steady_clock::now() > paused + milliseconds{20}; }));
  server_.reset();
  EXPECT_TRUE(soon([&] { return holds_; }));
  EXPECT_TRUE(soon([&] { return cut_off_ == 1; }));  // nothing listens there any more
}

TEST_F(LinkTest, IsNeverCutOffFromASupervisorItNeverHeard) {
  open(milliseconds{60});
  Relay relay(io_, server_->address().port);
  relay.lose(true);
  const auto agent = link(0, relay.port());
  ASSERT_TRUE(soon([&] { return relay.connections() >= 3; }));
  EXPECT_EQ(cut_off_, 0);
  EXPECT_FALSE(agent->established());
}

TEST_F(LinkTest, MayGoWithinItsOwnEvent) {
  open();
  std::unique_ptr<WatchClient> agent;
  agent = std::make_unique<WatchClient>(
      io_, client(0), heartbeat_, true,
      LinkEvents{.end = [&](const End&) { agent.reset(); }, .cut_off = {}});
  agent->start(hello(0));
  ASSERT_TRUE(soon_is(0, NodeState::watched));
  watch_server_->end_all(seconds{1});
  EXPECT_TRUE(soon([&] { return !agent; }));
}

}  // namespace
}  // namespace muster::watch
