// Which processes count as a task that has started its program.
#include "launcher/agent/task_watch/process_environment.hpp"

#include "fixtures/scratch_directory.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace muster::task_watch {
namespace {

using namespace std::string_literals;

class StartedEnvironment : public testing::Test {
 protected:
  [[nodiscard]] std::optional<Environment> of(const std::string& environment) const {
    std::filesystem::create_directory(proc_.path("4711"));
    proc_.write("4711/environ", environment);
    return started_environment(proc_.path(), 4711, "42.0");
  }

  fixtures::ScratchDirectory proc_;
};

TEST_F(StartedEnvironment, IsThatOfTheStepsTask) {
  const auto seen = of("RANK=7\0SLURM_TASK_PID=4711\0EMPTY=\0MUSTER_STEP=42.0\0"s);
  ASSERT_TRUE(seen);
  EXPECT_EQ(
      *seen,
      (Environment{
          {"RANK", "7"}, {"SLURM_TASK_PID", "4711"}, {"EMPTY", ""}, {"MUSTER_STEP", "42.0"}}));
}

TEST_F(StartedEnvironment, IsNotThatOfAnotherStepOrOfATasksChild) {
  EXPECT_FALSE(of("RANK=7\0SLURM_TASK_PID=4711\0MUSTER_STEP=43.0\0"s));
  EXPECT_FALSE(of("RANK=7\0SLURM_TASK_PID=4710\0MUSTER_STEP=42.0\0"s));
  EXPECT_FALSE(of("RANK=7\0SLURM_TASK_PID=4711\0"s));
}

TEST_F(StartedEnvironment, IsUnknownWhileSlurmstepdHasNotStartedTheProgram) {
  EXPECT_FALSE(of(""));
  EXPECT_FALSE(started_environment(proc_.path(), 4712, "42.0"));
}

}  // namespace
}  // namespace muster::task_watch
