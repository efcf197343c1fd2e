#include "launcher/tools/dump/dump_step.hpp"

#include "fixtures/expect_error.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::dump {
namespace {

using fixtures::expect_error;
using Words = std::vector<std::string>;

TEST(DumpCommand, IsAStepOfOneTaskOnEachNodeBesideTheRanks) {
  DumpOrder order;
  order.step = {.name = "42.3", .user = "alice", .nodes = {"node1", "node2"}, .tasks = 4};
  order.ranks = {0, 1, 2, 7};
  order.native = true;
  order.signal = SignalUse::only;
  order.program = "/opt/muster";
  const auto words = dump_command(order, {{"SLURM_STEP_ID", "1"}, {"HOME", "/home/alice"}});
  for (const auto* const word : {"--jobid=42", "--overlap", "--nodelist=node[1-2]", "--ntasks=2",
                                 "--job-name=muster-dump", "SLURM_STEP_ID"}) {
    EXPECT_EQ(std::ranges::count(words, word), 1) << word;
  }
  const auto program = std::ranges::find(words, "/opt/muster");
  EXPECT_EQ(Words(program, words.end()), (Words{"/opt/muster", "dump-node", "--step=42.3",
                                                "--ranks=0-2,7", "--native", "--signal"}));
}

TEST(DumpCommand, AsksTheNodesOfEachComponentOfAHeterogeneousJob) {
  DumpOrder order;
  order.step = {.name = "42.0",
                .user = "alice",
                .nodes = {"node1", "node3"},
                .components = {{"42.0", 0, {"node1"}}, {"43.0", 1, {"node2", "node3"}}}};
  order.program = "/opt/muster";
  const auto words = dump_command(order, {});
  const auto colon = std::ranges::find(words, ":");
  ASSERT_NE(colon, words.end());
  const Words first(words.begin(), colon);
  const Words second(colon, words.end());
  for (const auto* const word :
       {"--jobid=42", "--het-group=0", "--nodelist=node1", "--step=42.0"}) {
    EXPECT_EQ(std::ranges::count(first, word), 1) << word;
  }
  for (const auto* const word :
       {"--het-group=1", "--nodelist=node3", "--step=42.0", "/opt/muster"}) {
    EXPECT_EQ(std::ranges::count(second, word), 1) << word;
  }
}

DumpOrder order_with(const std::string& srun) {
  DumpOrder order;
  order.step = {.name = "42.3", .user = "alice", .nodes = {"node1", "node2"}, .tasks = 3};
  order.srun = srun;
  order.timeout = std::chrono::seconds(20);
  return order;
}

TEST(TakeDump, FailsWithSlurmsWordWhereNoNodeAnswers) {
  expect_error([] { take_dump(order_with("false"), {}); },
               "cannot inspect the ranks of step 42.3: no node answered within 20 s");
  expect_error([] { take_dump(order_with("echo"), {}); },
               "cannot inspect the ranks of step 42.3: --jobid=42 --overlap");
}

}  // namespace
}  // namespace muster::dump
