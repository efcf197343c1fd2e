#include "core/page/read_plan.hpp"

#include "core/explain/plan_view.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/made_up_run.hpp"
#include "fixtures/random_text.hpp"

#include <gtest/gtest.h>

namespace muster::page {
namespace {

std::string json_of(plan::StepPlan plan) {
  plan.profile = "torch";
  plan.nodes.front().tasks.front().variables.push_back({"RANK", "0", Origin::slurm});
  return explain::to_json(plan);
}

plan::StepPlan example() {
  return fixtures::made_up_plan({"node1", "node2"}, [](std::string text) { return text; });
}

TEST(ReadPlan, HasTheRanksTheirNodesAndWhatTheyHad) {
  const auto plan = read_plan(json_of(example()));
  ASSERT_EQ(plan.nodes.size(), 2U);
  const auto& task = plan.nodes[1].tasks.at(1);
  EXPECT_EQ(plan.nodes[1].node, "node2");
  EXPECT_EQ(task.rank, 3U);
  EXPECT_EQ(task.resources.cpus.to_string(), "4-7");
  EXPECT_EQ(task.resources.gpus.front().busid, "0000:07:00.0");
  EXPECT_EQ(task.resources.nics, std::vector<std::string>{"mlx5_0"});
  EXPECT_TRUE(task.variables.empty());
  EXPECT_EQ(plan.nodes[0].warnings.size(), 2U);
  EXPECT_EQ(plan.spares, std::vector<std::string>{"node1"});
}

TEST(ReadPlan, RefusesWhatIsNoPlan) {
  fixtures::expect_error([] { read_plan(""); }, "it is not JSON, or it is truncated");
  fixtures::expect_error([] { read_plan("[1"); }, "it is not JSON, or it is truncated");
  fixtures::expect_error([] { read_plan("{\"version\": 2, \"ranks\": []}"); },
                         "not a version 1 plan");
}

TEST(ReadPlan, TakesFieldsOfOtherTypesForMissing) {
  const auto plan = read_plan(
      R"({"version": 1, "ranks": [7, {"rank": -1}, {"rank": 4, "node": 5, "cpus": "9-1", "gpus": {}}]})");
  ASSERT_EQ(plan.nodes.size(), 1U);
  EXPECT_EQ(plan.nodes[0].node, "");
  EXPECT_EQ(plan.nodes[0].tasks.at(0).rank, 4U);
  EXPECT_TRUE(plan.nodes[0].tasks.at(0).resources.cpus.empty());
}

TEST(ReadPlan, ReadsDamagedOnesOrRefusesThem) {
  fixtures::RandomText random(4);
  const auto good = json_of(example());
  for (int i = 0; i < 2000; ++i) {
    try {
      read_plan(random.mutate(random.mutate(good)));
    } catch (const Error& error) {
      ASSERT_TRUE(fixtures::is_one_line(error.what()));
    }
  }
}

}  // namespace
}  // namespace muster::page
