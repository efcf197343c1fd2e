// Which of a task's variables count as replaced.
#include "launcher/agent/task_watch/environment_changes.hpp"

#include <gtest/gtest.h>

namespace muster::task_watch {
namespace {

const rendezvous::Rendezvous place{.address = "10.0.0.1", .port = 61234};

Environment planned() {
  return {{"RANK", "2"},
          {"WORLD_SIZE", "4"},
          {"MASTER_ADDR", "10.0.0.1"},
          {"MASTER_PORT", "61234"},
          {"COORDINATOR", "10.0.0.1:61234"},
          {"OMP_NUM_THREADS", "8"}};
}

EnvironmentChanges changes() {
  plan::TaskPlan task{};
  for (const auto& [name, value] : planned()) {
    task.variables.push_back(
        {.name = name, .value = value, .identity = name == "RANK" || name == "WORLD_SIZE"});
  }
  plan::NodePlan plan{.node = "node1", .node_rank = 0, .tasks = {task}, .warnings = {}};
  return {plan, place};
}

std::string_view replaced_with(const std::string& name, const std::string& value) {
  auto seen = planned();
  seen.set(name, value);
  static const auto watched = changes();
  return watched.replaced(0, seen);
}

TEST(EnvironmentChanges, SayNothingOfATaskThatHasWhatWasPlanned) {
  auto seen = planned();
  EXPECT_EQ(changes().replaced(0, seen), "");
  seen.set("FOO", "bar");
  EXPECT_EQ(changes().replaced(0, seen), "");
}

TEST(EnvironmentChanges, NameWhatIdentifiesARankOrLeadsToTheOthers) {
  for (const auto* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "COORDINATOR"}) {
    EXPECT_EQ(replaced_with(name, "7"), name);
  }
}

TEST(EnvironmentChanges, NameARemovedVariable) {
  auto seen = planned();
  seen.unset("RANK");
  EXPECT_EQ(changes().replaced(0, seen), "RANK");
}

TEST(EnvironmentChanges, LeaveEveryOtherVariableToTheProgramsOwnScript) {
  EXPECT_EQ(replaced_with("OMP_NUM_THREADS", "1"), "");
}

// Nodes differ in their ranks: one line for all of them names what they have in common.
TEST(EnvironmentChanges, NameFirstWhatIsTheSameOnAllNodes) {
  auto seen = planned();
  seen.set("RANK", "0");
  seen.set("MASTER_PORT", "29400");
  EXPECT_EQ(changes().replaced(0, seen), "MASTER_PORT");
}

TEST(EnvironmentChanges, KnowNoTaskThatWasNotPlanned) {
  EXPECT_EQ(changes().replaced(1, {}), "");
  EXPECT_EQ(changes().tasks(), 1U);
}

TEST(EnvironmentChanges, SayWhatToDo) {
  const auto line = replaced_line("RANK");
  EXPECT_TRUE(line.starts_with("RANK was replaced")) << line;
  EXPECT_NE(line.find("put muster.so's line last in plugstack.conf"), std::string::npos);
}

}  // namespace
}  // namespace muster::task_watch
