#include "launcher/os/command_output.hpp"

#include "fixtures/scratch_directory.hpp"

#include <chrono>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace muster::os {
namespace {

using namespace std::chrono_literals;

TEST(RunCommand, LetsACommandUndoWhatItHasDoneWhereItMay) {
  const fixtures::ScratchDirectory directory;
  const auto file = directory.path("undone");
  const std::string script =
      "trap 'echo yes >" + file + "; exit' TERM; echo ready; while :; do sleep 0.01; done";
  const auto result = run_command({"sh", "-c", script}, {.timeout = 500ms, .time_to_end = 20s});
  EXPECT_EQ(result.output, "ready\n");
  EXPECT_FALSE(result.succeeded);
  std::string word;
  std::ifstream(file) >> word;
  EXPECT_EQ(word, "yes");
}

TEST(RunCommand, KillsACommandThatDoesNotEnd) {
  const auto begin = std::chrono::steady_clock::now();
  const auto result = run_command({"sh", "-c", "trap '' TERM; while :; do sleep 0.01; done"},
                                  {.timeout = 100ms, .time_to_end = 100ms});
  EXPECT_FALSE(result.succeeded);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
}

}  // namespace
}  // namespace muster::os
