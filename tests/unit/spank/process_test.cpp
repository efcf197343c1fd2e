#include "spank/process.hpp"

#include "fixtures/emulation.hpp"
#include "in_child.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::spank {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Process, KnowsItsOwnArguments) {
  const auto words = own_arguments();
  ASSERT_FALSE(words.empty());
  EXPECT_NE(words[0].find("spank_test"), std::string::npos);
}

TEST(Process, KnowsTheEnvironmentItStartedWith) {
  const auto before = initial_environment();
  setenv("MUSTER_TEST_LATE", "1", 1);
  EXPECT_EQ(initial_environment(), before);
  unsetenv("MUSTER_TEST_LATE");
  EXPECT_FALSE(before.empty());
}

TEST(Process, ReportsHowAProgramEnded) {
  EXPECT_EQ(run({"/bin/sh", "-c", "exit 3"}, seconds{10}), 3);
  EXPECT_EQ(run({"/bin/sh", "-c", "kill -9 $$"}, seconds{10}), 128 + SIGKILL);
  MUSTER_NOT_IN_QEMU("makes vfork() a fork(), so that a program that cannot start ends with 127");
  EXPECT_EQ(run({"/nonexistent"}, seconds{10}), std::nullopt);
}

TEST(Process, KillsAProgramThatOutlivesItsDeadline) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(run({"/bin/sleep", "20"}, seconds{0}), std::nullopt);
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds{10});
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Process, WaitsForAChildNoLongerThanItsDeadline) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  EXPECT_EQ(wait_for_child(child, milliseconds{20}), std::nullopt);
  kill(child, SIGKILL);
  const auto status = wait_for_child(child, milliseconds{10'000});
  ASSERT_TRUE(status);
  EXPECT_EQ(WTERMSIG(*status), SIGKILL);
  // Another process has reaped it: there is nothing to wait for.
  EXPECT_EQ(wait_for_child(child, milliseconds{10'000}), std::nullopt);
}

TEST(Process, ReplacesItselfWithTheEnvironmentItIsGiven) {
  MUSTER_NOT_IN_QEMU("gives a program its variables in the opposite order");
  const auto result = in_child([] {
    execute({"/usr/bin/env"}, {"A=1", "B=x y"});
    return std::string("not replaced");
  });
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.output, "A=1\nB=x y\n");
}

}  // namespace
}  // namespace muster::spank
