#include "launcher/agent/message.hpp"

#include "fixtures/scratch_directory.hpp"
#include "launcher/site/installed.hpp"
#include "made_up_step.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace muster::agent {
namespace {

StepContext step(const Environment& environment = {}) {
  auto context = made_up_step({"node1"}, 0, environment);
  context.attempt.key = {1, 2, 3};
  return context;
}

PlannedNode planned() {
  PlannedNode node{};
  node.plan.node = "node1";
  node.plan.tasks.resize(1);
  node.exchange = {"10.0.0.1", 61001};
  return node;
}

std::optional<std::string> set(const wire::NodePlan& message, const std::string& name) {
  const auto found = std::ranges::find(message.set, name, &wire::Assignment::name);
  return found == message.set.end() ? std::nullopt : std::optional(found->value);
}

TEST(Message, NamesTheStepAndWhereItsRanksMeet) {
  const auto message = message_of(step(), planned());
  EXPECT_EQ(set(message, wire::planned_variable), "42.0");
  EXPECT_EQ(set(message, wire::exchange_variable), "10.0.0.1:61001");
  EXPECT_EQ(set(message, wire::exchange_key_variable),
            step::exchange_key_of_step({1, 2, 3}, "42.0"));
  EXPECT_EQ(set(message, wire::numbering_variable), std::nullopt);
  EXPECT_EQ(message.directory, "");
  EXPECT_FALSE(message.has_files);
  EXPECT_FALSE(message.dry_run);
}

TEST(Message, NamesTheDirectoryOfTheTasksFiles) {
  const fixtures::ScratchDirectory scratch;
  auto node = planned();
  node.errors = std::make_unique<ErrorDirectory>(scratch.path(), "42.0", "node1", 1);
  EXPECT_EQ(message_of(step(), node).directory, node.errors->path());
}

TEST(Message, HasPrintableWarningsAndNoMoreThanTheShimTakes) {
  auto node = planned();
  for (int i = 0; i < 40; ++i) node.plan.warnings.push_back(fmt::format("line\n{}", i));
  const auto message = message_of(step(), node);
  ASSERT_EQ(message.warnings.size(), wire::max_warnings);
  EXPECT_EQ(message.warnings[30], "line\\x0a30");
  EXPECT_EQ(message.warnings[31], "and 9 more lines like these; `muster plan` shows all of them");
  EXPECT_TRUE(wire::decode_plan(wire::encode(message)));
}

TEST(Message, KeepsThePlaceThatTheUserExported) {
  const auto message = message_of(step({{wire::exchange_variable, "10.9.9.9:1234"}}), planned());
  EXPECT_EQ(set(message, wire::exchange_variable), std::nullopt);
  EXPECT_EQ(set(message, wire::exchange_key_variable), std::nullopt);
}

TEST(Message, GivesALauncherThatStartsTheRanksItselfTheKeyAlone) {
  auto node = planned();
  node.exchange = {};
  const auto message = message_of(step(), node);
  EXPECT_EQ(set(message, wire::exchange_variable), std::nullopt);
  EXPECT_EQ(set(message, wire::exchange_key_variable),
            step::exchange_key_of_step({1, 2, 3}, "42.0"));
  auto other = planned();
  other.exchange = {};
  const auto kept = message_of(step({{wire::exchange_key_variable, "mine"}}), other);
  EXPECT_EQ(set(kept, wire::exchange_key_variable), std::nullopt);
}

TEST(Message, NamesTheStartHookThatATaskMayNotSee) {
  const auto hook = site::installed_start_hook();
  ASSERT_FALSE(hook.empty());
  EXPECT_EQ(message_of(step(), planned()).start_hook, "");
  auto node = planned();
  node.plan.tasks[0].variables.push_back({"PYTHONPATH", hook + "/.:/mine", Origin::default_});
  EXPECT_EQ(message_of(step(), node).start_hook, hook);
  node.plan.tasks[0].variables[0].kept = true;
  EXPECT_EQ(message_of(step(), node).start_hook, "");
}

// What each task is told about its times; "" for none.
std::vector<std::string> times_in(const wire::NodePlan& message) {
  std::vector<std::string> times;
  for (const auto& task : message.tasks) {
    const auto found = std::ranges::find(task.set, wire::times_variable, &wire::Assignment::name);
    times.push_back(found == task.set.end() ? "" : found->value);
  }
  return times;
}

PlannedNode with_logs() {
  auto node = planned();
  node.plan.logs = "/home/alice/out/42.0-attempt-0";
  node.plan.tasks.resize(2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    node.plan.tasks[i].rank = 6 + i;
    node.plan.tasks[i].local_rank = node.plan.tasks[i].index = i;
  }
  node.times.met = std::chrono::steady_clock::time_point(std::chrono::microseconds(1234567));
  return node;
}

TEST(Message, NamesAFileForTheTimesOfEachRankBesideItsLogs) {
  EXPECT_EQ(times_in(message_of(step(), with_logs())),
            (std::vector<std::string>{"1234567:/home/alice/out/42.0-attempt-0/rank-6.times",
                                      "1234567:/home/alice/out/42.0-attempt-0/rank-7.times"}));
  EXPECT_EQ(times_in(message_of(step(), planned())), std::vector<std::string>{""}) << "no logs=";
  EXPECT_EQ(times_in(message_of(step({{wire::times_variable, ""}}), with_logs())),
            (std::vector<std::string>{"", ""}))
      << "the user wants none";
}

TEST(Message, NamesAFileForOneRankOfEachNodeWhereThereAreVeryMany) {
  auto context = step();
  context.layout.node_of_task.resize(4096);
  EXPECT_NE(times_in(message_of(context, with_logs()))[1], "");
  context.layout.node_of_task.resize(4097);
  EXPECT_NE(times_in(message_of(context, with_logs()))[0], "");
  EXPECT_EQ(times_in(message_of(context, with_logs()))[1], "");
}

TEST(Message, TellsOfRanksThatAreNoTaskNumbersAndOfADryRun) {
  auto context = step();
  context.attempt.request.ranks = option::Ranks::contiguous;
  context.attempt.request.dry_run = true;
  const auto message = message_of(context, planned());
  EXPECT_EQ(set(message, wire::numbering_variable), "contiguous");
  EXPECT_TRUE(message.dry_run);
}

TEST(Message, TakesAwayWhatIsNotForTasksAndWhatIsInAFile) {
  auto context = step();
  context.facts.environment = {std::string("RANK=") + step::missing_plugin, "HOME=/home/alice"};
  auto node = planned();
  node.files.push_back({"CLUSTER_SPEC", "/tmp/x/CLUSTER_SPEC", "..."});
  EXPECT_EQ(message_of(context, node).unset, (std::vector<std::string>{"RANK", "CLUSTER_SPEC"}));
  EXPECT_TRUE(message_of(context, node).has_files);
}

}  // namespace
}  // namespace muster::agent
