#include "launcher/agent/preparation.hpp"

#include "fixtures/expect_error.hpp"
#include "made_up_step.hpp"

#include <gtest/gtest.h>

namespace muster::agent {
namespace {

StepContext step_without_its_profile(const std::vector<std::string>& nodes) {
  auto context = made_up_step(nodes, 0);
  context.attempt.request.profile = "absent";
  context.attempt.key = {1, 2, 3};
  return context;
}

TEST(Preparation, FailsAtOnceWhereNoOtherNodeHasToKnow) {
  fixtures::expect_error([] { prepare(step_without_its_profile({"node1"})); }, "absent");
}

TEST(Preparation, KeepsAFailureForAllNodesToHear) {
  const auto node = prepare(step_without_its_profile({"node1", "node2"}));
  EXPECT_NE(node.failure.find("absent"), std::string::npos);
  EXPECT_FALSE(node.setup);
  EXPECT_FALSE(node.ports.rendezvous);
}

}  // namespace
}  // namespace muster::agent
