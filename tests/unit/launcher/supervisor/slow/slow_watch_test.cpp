// The thread behind slow=, fed as by the agents of two nodes.
#include "launcher/supervisor/slow/slow_watch.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace muster::slow {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Rank 1 on the second node comes 300 ms late to each of 200 collectives.
Piece piece(std::size_t node) {
  Group group{.name = "0", .ranks = "0-1"};
  group.size = 2;
  Piece made{.base = seconds(100), .groups = {group}, .operations = {"all_reduce"}};
  for (std::uint64_t number = 1; number <= 200; ++number) {
    const auto at = microseconds(seconds(number)) + milliseconds(node == 1 ? 300 : 0);
    made.collectives.push_back({.number = number,
                                .count = 1,
                                .rank = static_cast<std::uint32_t>(node),
                                .first = at,
                                .last = at});
  }
  return made;
}

class SlowWatchTest : public testing::Test {
 protected:
  SlowWatchTest()
      : watch({}, {.now = [] { return seconds(400); },
                   .name_of = [](std::size_t node) { return "n" + std::to_string(node + 1); },
                   .examine = [this](auto number, auto node,
                                     auto rank) { examine(number, node, rank); },
                   .say =
                       [this](auto, const auto& text) {
                         const std::lock_guard lock(mutex);
                         said.push_back(text);
                       }}) {}

  void examine(std::uint32_t number, std::size_t node, std::optional<std::uint32_t> rank) {
    ++asked;
    EXPECT_EQ((std::pair(node, rank)), (std::pair(std::size_t{1}, std::optional(1U))));
    if (!answers) return;
    watch.examined(0, number, {.throttled = 990});  // another node knows nothing about it
    watch.examined(1, number, {.throttled = 250});
  }

  std::vector<std::string> await_line(seconds time) {
    const auto deadline = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(milliseconds(50));
      const std::lock_guard lock(mutex);
      if (!said.empty()) break;
    }
    const std::lock_guard lock(mutex);
    return said;
  }

  std::atomic<bool> answers = true;
  std::atomic<int> asked = 0;
  std::mutex mutex;
  std::vector<std::string> said;
  SlowWatch watch;
};

TEST_F(SlowWatchTest, SaysOnceWhoIsSlowAndWhyItIs) {
  watch.start();
  watch.add(0, piece(0));
  watch.add(1, piece(1));
  const auto lines = await_line(seconds(30));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].find("slow=: rank 1 on n2 arrives last in 100 % of all_reduce calls, "), 0U)
      << lines[0];
  EXPECT_TRUE(lines[0].ends_with("; its CPUs are throttled 25 % of the time by its control group"))
      << lines[0];
  watch.stop();
  ASSERT_EQ(watch.named().size(), 1U);
  EXPECT_EQ(said.size(), 1U);
}

TEST_F(SlowWatchTest, SaysItWithoutAReasonWhereTheStepEndsFirst) {
  answers = false;
  watch.start();
  watch.add(0, piece(0));
  watch.add(1, piece(1));
  while (asked == 0) std::this_thread::sleep_for(milliseconds(20));
  watch.stop();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(said[0].ends_with(" % of the time")) << said[0];
}

TEST_F(SlowWatchTest, EndsWithoutHavingBegunOrHeardAnything) {
  watch.stop();
  EXPECT_TRUE(watch.named().empty());
}

}  // namespace
}  // namespace muster::slow
