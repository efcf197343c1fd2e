#include "launcher/agent/arrivals.hpp"

#include "unit/launcher/agent/ranks/script.hpp"

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

using namespace std::chrono_literals;

ranks::Ranks rank_of(const ranks::Script& script) {
  ranks::Ranks ranks({{.rank = 0, .local_rank = 0}}, "42.0", 0);
  wire::TasksStarted started;
  started.pids.push_back(static_cast<std::uint32_t>(script.pid()));
  ranks.started(started, std::chrono::steady_clock::now());
  return ranks;
}

report::Moment same(Arrivals::Time time) {
  return {.time = time.time_since_epoch(), .error = 1ms};
}

// Answers each question once it may go on.
constexpr auto* rank = R"(exec /usr/bin/python3 -c '
import os, sys, time
reading, writing = os.pipe()
file = os.memfd_create(f"muster-recorder-{reading}")
print("ready", flush=True)
while True:
    word = os.read(reading, 200).strip()
    sys.stdin.readline()
    answer = f"{{\"rank\": 0, \"cost\": 0.05, \"operations\": [\"all_reduce\"], \"base\": {time.time_ns()},"
    answer += "\"groups\": [{\"group\": \"0\", \"text\": \"\", \"size\": 2, \"ranks\": \"0,5\", \"pairs\": false}],"
    answer += "\"times\": [[0, 4, 0, 0]]}"
    os.ftruncate(file, 0)
    os.pwrite(file, word + b"\n" + answer.encode() + b"\n", 0)
    print("written", flush=True)
')";

TEST(Arrivals, OfARankThatAnswersLateComeWithTheNextQuestion) {
  ranks::Script script(rank, {"MUSTER_STEP=42.0", "SLURM_TASK_PID=SELF"});
  ASSERT_EQ(script.line(), "ready");
  const auto ranks = rank_of(script);
  Arrivals arrivals;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(arrivals.look(begin, ranks, same));  // asks
  EXPECT_FALSE(arrivals.look(arrivals.next(), ranks, same));
  script.go_on();
  ASSERT_EQ(script.line(), "written");
  EXPECT_TRUE(arrivals.look(arrivals.next(), ranks, same));  // asks again
}

TEST(Arrivals, AreAskedForLessOftenIfTheAnswersCostMuch) {
  ranks::Script script(rank, {"MUSTER_STEP=42.0", "SLURM_TASK_PID=SELF"});
  ASSERT_EQ(script.line(), "ready");
  const auto ranks = rank_of(script);
  Arrivals arrivals;
  const auto begin = std::chrono::steady_clock::now();
  script.go_on();
  arrivals.look(begin, ranks, same);
  ASSERT_EQ(script.line(), "written");
  EXPECT_TRUE(arrivals.look(arrivals.next(), ranks, same));
  EXPECT_EQ(arrivals.next() - begin, 50s) << "a thousandth of a core";
  arrivals.look(arrivals.next(), ranks, same);  // asks, and the answer will be late
  arrivals.look(arrivals.next(), ranks, same);
  EXPECT_EQ(arrivals.next() - begin, 100s) << "what the last answer has cost is not forgotten";
}

}  // namespace
}  // namespace muster::agent
