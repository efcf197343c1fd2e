#include "launcher/os/command_output.hpp"

#include "fixtures/scratch_directory.hpp"
#include "launcher/os/descriptor.hpp"

#include <array>
#include <chrono>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::os {
namespace {

using namespace std::chrono_literals;

TEST(RunCommand, LetsACommandUndoWhatItHasDoneWhereItMay) {
  const fixtures::ScratchDirectory directory;
  const auto file = directory.path("undone");
  const std::string script =
      "trap 'echo yes >" + file + "; exit' TERM; echo ready; while :; do sleep 0.01; done";
  const auto result = run_command({"sh", "-c", script}, {.timeout = 500ms, .exit_timeout = 20s});
  EXPECT_EQ(result.output, "ready\n");
  EXPECT_FALSE(result.succeeded);
  std::string word;
  std::ifstream(file) >> word;
  EXPECT_EQ(word, "yes");
}

TEST(RunCommand, WaitsForTheExitCodeOfACommandThatClosesItsStreamsBefore) {
  const auto result =
      run_command({"sh", "-c", "echo done; exec >&- 2>&-; sleep 0.05"}, {.timeout = 20s});
  EXPECT_EQ(result.output, "done\n");
  EXPECT_TRUE(result.succeeded);
}

TEST(RunCommand, KillsACommandThatDoesNotEnd) {
  const auto begin = std::chrono::steady_clock::now();
  const auto result = run_command({"sh", "-c", "trap '' TERM; while :; do sleep 0.01; done"},
                                  {.timeout = 100ms, .exit_timeout = 100ms});
  EXPECT_FALSE(result.succeeded);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
}

TEST(RunCommand, EndsACommandOnceADescriptorIsReadable) {
  const fixtures::ScratchDirectory directory;
  const auto file = directory.path("undone");
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const Descriptor interrupt(ends[0]);
  const Descriptor writer(ends[1]);
  ASSERT_EQ(write(writer.get(), "x", 1), 1);
  const std::string script =
      "trap 'echo yes >" + file + "; exit' TERM; while :; do sleep 0.01; done";
  const auto result = run_command(
      {"sh", "-c", script}, {.timeout = 1h, .exit_timeout = 20s, .interrupt = interrupt.get()});
  EXPECT_FALSE(result.succeeded);
}

TEST(RunCommand, RunsToItsEndBesideADescriptorThatIsNotReadable) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const Descriptor interrupt(ends[0]);
  const Descriptor writer(ends[1]);
  const auto result = run_command({"echo", "done"}, {.timeout = 20s, .interrupt = interrupt.get()});
  EXPECT_EQ(result.output, "done\n");
  EXPECT_TRUE(result.succeeded);
}

}  // namespace
}  // namespace muster::os
