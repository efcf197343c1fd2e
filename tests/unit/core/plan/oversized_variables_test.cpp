#include "core/plan/oversized_variables.hpp"

#include "core/error.hpp"
#include "wire/variables.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::plan {
namespace {

NodePlan plan_with(std::size_t bytes) {
  TaskPlan task;
  task.index = 1;
  task.variables = {{"TF_CONFIG", std::string(bytes, 'x')}};
  return {.node = "node1", .node_rank = 0, .tasks = {task}, .warnings = {}};
}

// Room for "TF_CONFIG=" and the end of the text.
constexpr std::size_t fits = wire::max_variable_bytes - 11;

TEST(LongValues, StayWhereTheKernelTakesThem) {
  auto plan = plan_with(fits);
  EXPECT_TRUE(move_oversized_variables(plan, "/tmp/d").empty());
  EXPECT_EQ(plan.tasks[0].variables[0].value.size(), fits);
  EXPECT_TRUE(plan.warnings.empty());
}

TEST(LongValues, GoIntoAFileThatAnotherVariableNames) {
  auto plan = plan_with(fits + 1);
  const auto files = move_oversized_variables(plan, "/tmp/d");
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].variable, "TF_CONFIG");
  EXPECT_EQ(files[0].path, "/tmp/d/1/TF_CONFIG");
  EXPECT_EQ(files[0].content.size(), fits + 1);
  EXPECT_EQ(plan.tasks[0].variables[0].name, "TF_CONFIG_FILE");
  EXPECT_EQ(plan.tasks[0].variables[0].value, "/tmp/d/1/TF_CONFIG");
  EXPECT_EQ(plan.warnings.size(), 1U);
}

TEST(LongValues, AreAnErrorWithoutADirectoryAndLeftToTheUserWhoExportedThem) {
  auto plan = plan_with(fits + 1);
  EXPECT_THROW(move_oversized_variables(plan, ""), Error);
  plan.tasks[0].variables[0].kept = true;
  EXPECT_TRUE(move_oversized_variables(plan, "").empty());
}

}  // namespace
}  // namespace muster::plan
