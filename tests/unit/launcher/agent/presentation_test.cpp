#include "launcher/agent/presentation.hpp"

#include "fixtures/expect_error.hpp"
#include "launcher/agent/context.hpp"
#include "launcher/agent/planning.hpp"
#include "made_up_step.hpp"

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

using Lines = std::vector<std::string>;

PlannedNode planned_with_warning() {
  PlannedNode node{};
  node.plan.node = "node1";
  node.plan.warnings = {"node1: no GPU driver"};
  return node;
}

TEST(Presentation, LeavesTheWarningsToTheShimWhereNobodyAskedForThePlan) {
  EXPECT_EQ(present(made_up_step({"node1"}, 0), planned_with_warning()),
            Lines{"node1: no GPU driver"});
}

TEST(Presentation, WarnsWhereExplainCannotBeShown) {
  auto context = made_up_step({"node1"}, 0);
  context.attempt.request.explain = true;
  EXPECT_EQ(present(context, planned_with_warning()),
            (Lines{"node1: no GPU driver",
                   "cannot show the plan: no answer from the supervisor on the submit host"}));
}

TEST(Presentation, FailsWhereADryRunCannotBeShown) {
  auto context = made_up_step({"node1"}, 0);
  context.attempt.request.dry_run = true;
  fixtures::expect_error([&] { present(context, planned_with_warning()); },
                         "cannot show the plan: no answer from the supervisor");
}

}  // namespace
}  // namespace muster::agent
