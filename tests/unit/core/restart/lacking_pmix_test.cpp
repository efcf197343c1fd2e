#include "core/restart/lacking_pmix.hpp"

#include <csignal>

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

constexpr std::int32_t exit_code(std::int32_t code) {
  return code << 8;
}

// As srun ends if slurmstepd cannot load the PMIx plugin on one of two nodes.
report::Record failed_launch() {
  report::Record record;
  record.created = report::Moment{};
  record.srun_wait_status = exit_code(255);
  for (const auto* const name : {"node1", "node2"}) record.nodes.emplace_back().name = name;
  return record;
}

TEST(LackingPmix, MayEndALaunchBeforeAnyRankHasStarted) {
  EXPECT_TRUE(may_lack_pmix(failed_launch()));
  auto without_nodes = failed_launch();
  without_nodes.nodes.clear();  // no agent has connected
  EXPECT_TRUE(may_lack_pmix(without_nodes));
}

TEST(LackingPmix, EndsNoStepThatSlurmDidNotCreate) {
  auto record = failed_launch();
  record.created.reset();
  EXPECT_FALSE(may_lack_pmix(record));
}

// Such as for a program that is not there.
TEST(LackingPmix, IsNotWhyANodeRefusesItsTasks) {
  auto record = failed_launch();
  record.srun_wait_status = exit_code(1);
  EXPECT_FALSE(may_lack_pmix(record));
  record.srun_wait_status = SIGKILL;
  EXPECT_FALSE(may_lack_pmix(record));
}

TEST(LackingPmix, IsNotWhyRanksFailThatHaveStarted) {
  auto record = failed_launch();
  record.nodes[1].started = report::Moment{};
  EXPECT_FALSE(may_lack_pmix(record));
  record = failed_launch();
  record.ends.emplace_back();
  EXPECT_FALSE(may_lack_pmix(record));
}

TEST(LackingPmix, IsNotWhyAStepEndsThatItsUserOrMusterEnds) {
  auto record = failed_launch();
  record.signals.emplace_back();
  EXPECT_FALSE(may_lack_pmix(record));
  record = failed_launch();
  record.ending = report::Moment{};
  EXPECT_FALSE(may_lack_pmix(record));
}

}  // namespace
}  // namespace muster::restart
