// The real process, with a script in place of srun.
#include "launcher/supervisor/successor/successor_step.hpp"

#include "core/restart/handover.hpp"
#include "fixtures/scratch_directory.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

namespace muster::successor {
namespace {

using namespace std::chrono_literals;

class SuccessorStepTest : public testing::Test {
 protected:
  StepOrder order(const std::string& script) {
    const auto file = scratch_.write("srun", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return {.srun = scratch_.path("srun"), .job = "42", .program = "muster", .node = "node3"};
  }

  static bool await(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(5ms);
    }
    return true;
  }

  const fixtures::ScratchDirectory scratch_;
  const Environment environment_{{"PATH", "/usr/bin:/bin"}, {"SLURM_NNODES", "3"}};
};

TEST_F(SuccessorStepTest, TakesNothingFromTheRanks) {
  const auto words = step_words({.srun = "srun",
                                 .job = "42",
                                 .program = "/usr/bin/muster",
                                 .node = "node3",
                                 .generation = 2});
  for (const auto* const word : {"--jobid=42", "--overlap", "--gres=none", "--nodelist=node3",
                                 "--job-name=muster-successor-2", "/usr/bin/muster"}) {
    EXPECT_EQ(std::ranges::count(words, word), 1) << word;
  }
  EXPECT_EQ(words.back(), "successor");
}

TEST_F(SuccessorStepTest, HearsTheAnswersAndSrunsLastWord) {
  SuccessorStep step(order("read beat; echo 'muster-successor: here'; echo oh; read more"),
                     environment_);
  EXPECT_FALSE(step.has_answered());
  step.send(restart::beat_message());
  EXPECT_TRUE(await([&] {
    step.listen();
    return step.last_line() == "oh";
  }));
  EXPECT_TRUE(step.has_answered());
  EXPECT_TRUE(step.runs());
}

TEST_F(SuccessorStepTest, GetsNoVariableThatShapesAStep) {
  SuccessorStep step(order("env | grep -c SLURM; read more"), environment_);
  EXPECT_TRUE(await([&] {
    step.listen();
    return step.last_line() == "0";
  }));
}

TEST_F(SuccessorStepTest, MayEndAtAnyTime) {
  SuccessorStep step(order("exit 1"), environment_);
  EXPECT_TRUE(await([&] { return !step.runs(); }));
  step.send(restart::beat_message());
  step.listen();
  EXPECT_FALSE(step.has_answered());
}

TEST_F(SuccessorStepTest, IsToldThatItIsNoLongerNeeded) {
  { SuccessorStep step(order("read word; echo $word >" + scratch_.path("word")), environment_); }
  EXPECT_TRUE(std::filesystem::exists(scratch_.path("word")));
}

}  // namespace
}  // namespace muster::successor
