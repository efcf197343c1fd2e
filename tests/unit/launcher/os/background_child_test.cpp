#include "launcher/os/background_child.hpp"

#include "fixtures/scratch_directory.hpp"
#include "launcher/agent/ranks/process.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::os {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds generous{20};

template <class Condition>
bool comes_true(Condition condition) {
  const auto deadline = Clock::now() + generous;
  while (!condition()) {
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(milliseconds{5});
  }
  return true;
}

TEST(BackgroundChild, OutlivesTheThreadThatHasStartedIt) {
  const fixtures::ScratchDirectory scratch;
  const auto file = scratch.path("done");
  std::optional<BackgroundChild> child;
  std::thread([&] {
    child.emplace([file] {
      std::this_thread::sleep_for(milliseconds{300});
      std::ofstream(file) << "done";
    });
  }).join();
  child->wait_until(Clock::now() + generous);
  EXPECT_EQ(child->exit_code(), 0);
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST(BackgroundChild, EndsWithItsProcessAlsoWhereThatIsKilled) {
  const fixtures::ScratchDirectory scratch;
  const auto file = scratch.path("pid");
  const pid_t parent = fork();
  if (parent == 0) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    const BackgroundChild child([file] {
      std::ofstream(file) << getpid() << std::endl;
      std::this_thread::sleep_for(generous * 2);
    });
    pause();
  }
  pid_t child = 0;
  ASSERT_TRUE(comes_true([&] { return static_cast<bool>(std::ifstream(file) >> child); }));
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(comes_true([&] {
    const auto stat = ranks::stat_of("/proc", child);
    return !stat || stat->state == 'Z';
  }));
}

TEST(BackgroundChild, IsKilledWithItsObject) {
  const fixtures::ScratchDirectory scratch;
  const auto file = scratch.path("pid");
  pid_t pid = 0;
  {
    const BackgroundChild child([file] {
      std::ofstream(file) << getpid() << std::endl;
      std::this_thread::sleep_for(generous * 2);
    });
    ASSERT_TRUE(comes_true([&] { return static_cast<bool>(std::ifstream(file) >> pid); }));
  }
  EXPECT_FALSE(ranks::stat_of("/proc", pid));
}

}  // namespace
}  // namespace muster::os
