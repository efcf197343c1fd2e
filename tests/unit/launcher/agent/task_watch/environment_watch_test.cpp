// When the tasks' environments are read.
#include "launcher/agent/task_watch/environment_watch.hpp"

#include "fixtures/scratch_directory.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace muster::task_watch {
namespace {

using namespace std::string_literals;

class Watch : public testing::Test {
 protected:
  // The program of the task with this process ID has started.
  void starts(std::uint32_t pid, const std::string& rank) const {
    const auto number = std::to_string(pid);
    std::filesystem::create_directory(proc_.path(number));
    proc_.write(number + "/environ",
                "MUSTER_STEP=42.0\0SLURM_TASK_PID="s + number + "\0RANK="s + rank + "\0"s);
  }

  // Ranks 0 and 1.
  static EnvironmentChanges changes() {
    plan::NodePlan plan{.node = "node1", .node_rank = 0, .tasks = {}, .warnings = {}};
    for (const auto* rank : {"0", "1"}) {
      plan::TaskPlan task{};
      task.variables = {{.name = "RANK", .value = rank, .identity = true}};
      plan.tasks.push_back(std::move(task));
    }
    return {plan, {.address = "10.0.0.1", .port = 61234}};
  }

  fixtures::ScratchDirectory proc_;
  EnvironmentWatch watch_{changes(), "42.0", {}, proc_.path()};
};

TEST_F(Watch, WaitsForTheTasks) {
  EXPECT_FALSE(watch_.next());
  watch_.started({{10, 11}});
  EXPECT_TRUE(watch_.next());
}

TEST_F(Watch, LooksOnceWhereAllHaveStarted) {
  watch_.started({{10, 11}});
  starts(10, "0");
  starts(11, "1");
  watch_.look();
  EXPECT_FALSE(watch_.next());
}

TEST_F(Watch, LooksAgainForATaskThatIsStillOnItsWayButNotForEver) {
  watch_.started({{10, 11}});
  starts(10, "0");
  for (std::size_t look = 0; look < LookTimes::intervals.size(); ++look) {
    EXPECT_TRUE(watch_.next());
    watch_.look();
  }
  EXPECT_FALSE(watch_.next());
}

TEST_F(Watch, KeepsALineThatNobodyHasTaken) {
  watch_.started({{10, 11}});
  starts(10, "7");
  watch_.look();
  EXPECT_TRUE(watch_.next());
}

TEST_F(Watch, IsNotForTasksThatWereNotPlanned) {
  watch_.started({{10, 11, 12}});
  EXPECT_FALSE(watch_.next());
}

}  // namespace
}  // namespace muster::task_watch
