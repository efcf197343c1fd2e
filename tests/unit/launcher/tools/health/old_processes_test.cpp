#include "launcher/tools/health/old_processes.hpp"

#include "unit/launcher/agent/ranks/script.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace muster::health {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using ranks::Script;
using Steps = std::vector<std::string>;

const Steps steps{"42.0", "42.1"};

TEST(IsOfSteps, ByTheEnvironment) {
  EXPECT_TRUE(is_of_steps("A=1\0MUSTER_STEP=42.1\0B=2\0"s, "", steps));
  EXPECT_FALSE(is_of_steps("A=1\0MUSTER_STEP=42.10\0"s, "", steps));
  EXPECT_FALSE(is_of_steps("NOT_MUSTER_STEP=42.1\0MUSTER_STEPS=42.1\0MUSTER_STEP"s, "", steps));
  EXPECT_FALSE(is_of_steps("", "", steps));
}

TEST(IsOfSteps, ByTheControlGroupOfAProcessWithAnotherEnvironment) {
  EXPECT_TRUE(
      is_of_steps("", "0::/system.slice/slurmstepd.scope/job_42/step_1/user/task_0\n", steps));
  EXPECT_TRUE(is_of_steps("", "9:memory:/slurm/uid_1/job_42/step_0/task_1\n", steps));
  EXPECT_FALSE(is_of_steps("", "9:memory:/slurm/uid_1/job_42/step_2/task_1\n", steps));
  EXPECT_FALSE(is_of_steps("", "9:memory:/slurm/uid_1/job_42/step_10/task_1\n", steps));
  EXPECT_FALSE(is_of_steps("", "9:memory:/slurm/uid_1/job_142/step_0x/task_1\n", steps));
}

TEST(IsOfSteps, ByTheControlGroupOfAJobThatIsNamedByItsSluid) {
  const char* const group = "0::/slurmstepd.scope/sEKNKTV3WPV500/step_1/user/task_0\n";
  EXPECT_TRUE(is_of_steps("", group, steps, "sEKNKTV3WPV500"));
  EXPECT_FALSE(is_of_steps("", group, steps, "sEKNKTV3WPV501"));
  EXPECT_FALSE(is_of_steps("", group, steps));
  EXPECT_TRUE(is_of_steps("", "9:memory:/slurm/uid_1/job_42/step_0/task_1\n", steps, "job_43"));
}

bool is_found(pid_t pid, const Steps& of) {
  const auto found = processes_of_steps("/proc", of, geteuid());
  return std::ranges::find(found, pid, &ranks::ProcessStat::pid) != found.end();
}

TEST(ProcessesOfSteps, AreThisUsersThatHaveNotEnded) {
  Script script("echo ready; read end", {"MUSTER_STEP=4200.1"});
  ASSERT_EQ(script.line(), "ready");
  EXPECT_TRUE(is_found(script.pid(), {"4200.1"}));
  EXPECT_FALSE(is_found(script.pid(), {"4200.2"}));
  EXPECT_TRUE(processes_of_steps("/proc", Steps{"4200.1"}, geteuid() + 1).empty());
  kill(script.pid(), SIGKILL);  // a zombie until it is waited for
  EXPECT_TRUE(ranks::comes_true([&] { return !is_found(script.pid(), {"4200.1"}); }));
}

TEST(EndProcessesOfSteps, KillsThemAndWhatTheyHaveStarted) {
  Script script("trap '' TERM INT HUP; sleep 1000 & echo ready; wait", {"MUSTER_STEP=4201.0"});
  Script other("echo ready; read end", {"MUSTER_STEP=4201.1"});
  ASSERT_EQ(script.line(), "ready");
  ASSERT_EQ(other.line(), "ready");
  EXPECT_EQ(end_processes_of_steps(Steps{"4201.0"}, 20s), 0U);
  EXPECT_EQ(ranks::in_words(script.status()), "signal 9");
  EXPECT_TRUE(script.output_ended());
  EXPECT_FALSE(other.reap());
}

TEST(EndProcessesOfSteps, HasNothingToDoWithoutSteps) {
  EXPECT_EQ(end_processes_of_steps({}, 20s), 0U);
}

}  // namespace
}  // namespace muster::health
