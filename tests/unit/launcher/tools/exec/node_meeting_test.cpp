#include "launcher/tools/exec/node_meeting.hpp"

#include "fixtures/expect_error.hpp"
#include "launcher/os/local_socket.hpp"

#include <chrono>
#include <future>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::exec {
namespace {

using namespace std::chrono_literals;
using fixtures::expect_error;

// For a step that no other test uses.
constexpr secret::Key secret{1, 2, 3};

MeetingPlace place(std::chrono::seconds timeout = 10s) {
  static std::uint32_t step = 0;
  TaskFacts facts;
  facts.step = {"", static_cast<std::uint32_t>(getpid()), ++step, 0};
  facts.node_name = "node7";
  facts.local_tasks = {4, 6, 9};
  return meeting_place(facts, timeout, secret);
}

TaskReport report(const MeetingPlace& at, std::uint32_t local_id) {
  return {.procid = at.local_tasks[local_id],
          .local_id = local_id,
          .cpus = {local_id},
          .gpus = {},
          .failure = {}};
}

// A task that arrives, and the answer it gets.
std::future<wire::Received> come(const MeetingPlace& at, const TaskReport& own) {
  return std::async(std::launch::async, [at, own] {
    const auto met = meet(at);
    return report_to_leader(at, met.leader_connection, own);
  });
}

TEST(Meeting, TellsTheFirstWhatEveryTaskKnows) {
  const auto at = place();
  auto leader = meet(at).leader;
  ASSERT_TRUE(leader);
  auto second = come(at, report(at, 2));
  auto third = come(at, report(at, 0));
  const auto all = leader->collect(report(at, 1));
  ASSERT_EQ(all.size(), 3U);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(all[i], report(at, i));
  leader->answer(0, wire::Kind::plan, "zero");
  leader->answer(2, wire::Kind::plan, "two");
  EXPECT_EQ(third.get().payload, "zero");
  EXPECT_EQ(second.get().payload, "two");
}

TEST(Meeting, HasOneLeader) {
  const auto at = place();
  const auto first = meet(at);
  const auto second = meet(at);
  EXPECT_TRUE(first.leader);
  EXPECT_FALSE(second.leader);
  EXPECT_TRUE(second.leader_connection);
}

TEST(Meeting, NamesTheTasksThatDidNotCome) {
  const auto at = place(1s);
  auto leader = meet(at).leader;
  auto other = come(at, report(at, 2));
  fixtures::expect_error([&] { leader->collect(report(at, 1)); },
                         "task 4 on node7 did not arrive within 1 s");
  leader->refuse_all();
  EXPECT_EQ(other.get().kind, wire::Kind::refusal);
}

TEST(Meeting, RefusesASecondProcessOfATask) {
  const auto at = place();
  auto leader = meet(at).leader;
  auto other = come(at, report(at, 1));
  fixtures::expect_error([&] { leader->collect(report(at, 1)); },
                         "two processes on node7 claim to be task 6");
  leader.reset();
  EXPECT_THROW(other.get(), Error);
}

TEST(Meeting, IsNotHeldUpByWhoSaysNothingOfSense) {
  const auto at = place();
  auto leader = meet(at).leader;
  const auto stranger = os::connect_to(at.name);
  wire::send_frame(stranger.get(), wire::Kind::facts, "nonsense",
                   std::chrono::steady_clock::now() + 1s);
  auto second = come(at, report(at, 0));
  auto third = come(at, report(at, 2));
  EXPECT_EQ(leader->collect(report(at, 1)).size(), 3U);
  leader->refuse_all();
  EXPECT_EQ(second.get().kind, wire::Kind::refusal);
  EXPECT_EQ(third.get().kind, wire::Kind::refusal);
}

TEST(Meeting, EndsForAllWhenTheLeaderDies) {
  const auto at = place();
  auto leader = meet(at).leader;
  auto other = come(at, report(at, 0));
  std::this_thread::sleep_for(50ms);
  leader.reset();
  fixtures::expect_error([&] { other.get(); }, ", the task that plans for the others has exited");
}

TEST(Meeting, TellsThatTheSocketIsAnothersWhoseUserItNames) {
  auto at = place();
  const auto held = os::listen_at(at.name);
  at.user = getuid() + 1;
  fixtures::expect_error([&] { meet(at); }, "a process of user " + std::to_string(getuid()));
}

TEST(Meeting, HasANameThatOnlyItsUserCanForesee) {
  TaskFacts facts;
  facts.step = {"", 42, 1, 0};
  facts.node_name = "node7";
  const auto name = [&](const std::optional<secret::Key>& known) {
    return meeting_place(facts, 1s, known).name;
  };
  const auto ours = name(secret);
  EXPECT_EQ(name(secret), ours);
  EXPECT_NE(name(secret::Key{1, 2, 4}), ours);
  EXPECT_NE(name(std::nullopt), ours);
  facts.node_name = "node8";
  EXPECT_NE(name(secret), ours);
  facts.node_name = "node7";
  facts.step.step_id = 2;
  EXPECT_NE(name(secret), ours);
}

TEST(LocalSocket, HasOneListenerOfAName) {
  const auto at = place();
  const auto first = os::listen_at(at.name);
  EXPECT_TRUE(first);
  EXPECT_FALSE(os::listen_at(at.name));
}

TEST(LocalSocket, IsNotInheritedByAProgram) {
  const auto at = place();
  const auto listener = os::listen_at(at.name);
  EXPECT_TRUE(fcntl(listener.get(), F_GETFD) & FD_CLOEXEC);
  EXPECT_TRUE(fcntl(os::connect_to(at.name).get(), F_GETFD) & FD_CLOEXEC);
}

}  // namespace
}  // namespace muster::exec
