#include "launcher/tools/local/step.hpp"

#include "core/layout/layout.hpp"
#include "core/rendezvous/port_candidates.hpp"
#include "launcher/channel/step/facts.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace muster::local {
namespace {

wire::StepFacts facts(const Environment& environment) {
  const Step step{
      .site = {}, .number = 123456789, .attempt = 2, .ranks = 3, .command = {"train", "x"}};
  return facts_of(step, environment, "laptop", "/work");
}

TEST(LocalStep, HasAllItsRanksOnThisMachine) {
  const auto known = facts({{"HOME", "/home/alice"}});
  EXPECT_TRUE(known.without_slurm);
  EXPECT_EQ(known.arguments, (std::vector<std::string>{"train", "x"}));
  const auto environment = step::environment_of(known);
  const auto layout = step::layout_of(known, environment);
  EXPECT_EQ(layout.nodes, std::vector<std::string>{"laptop"});
  EXPECT_EQ(layout.node_of_task.size(), 3U);
  EXPECT_EQ(step::node_of(known, layout, {}), 0U);
  EXPECT_EQ(step::run_id(step::step_name_of(known, environment, layout, 2)), "123456789.2");
}

TEST(LocalStep, KnowsNothingOfAnAllocationAroundIt) {
  const auto environment = step::environment_of(facts({{"SLURM_JOB_ID", "7"},
                                                       {"SLURM_STEP_NUM_TASKS", "9"},
                                                       {wire::request_variable, "{}"},
                                                       {"A", "1"}}));
  EXPECT_FALSE(environment.contains("SLURM_JOB_ID"));
  EXPECT_FALSE(environment.contains("SLURM_STEP_NUM_TASKS"));
  EXPECT_TRUE(environment.contains(wire::request_variable));
  EXPECT_TRUE(environment.contains("A"));
}

TEST(LocalStep, HasANumberOfNineDigitsThatNoOtherHas) {
  std::set<std::uint32_t> numbers;
  for (int i = 0; i < 20; ++i) numbers.insert(new_number());
  EXPECT_EQ(numbers.size(), 20U);
  EXPECT_GE(*numbers.begin(), 100'000'000U);
  EXPECT_LT(*numbers.rbegin(), 1'000'000'000U);
}

}  // namespace
}  // namespace muster::local
