#include "launcher/agent/preparation.hpp"

#include "fixtures/expect_error.hpp"
#include "fixtures/loopback_server.hpp"
#include "fixtures/scratch_directory.hpp"
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

class HoldingPorts : public testing::Test {
 protected:
  // The first of the nodes, which can proceed.
  PreparedNode first_of(const std::vector<std::string>& nodes) {
    auto context = made_up_step(nodes, 0);
    context.site = site::Site(
        {.config = scratch_.write("muster.yaml", profiles), .trust_any_owner = true}, {}, false);
    context.attempt.request.profile = "none";
    context.attempt.key = {1, 2, 3};
    return prepare(context);
  }

 private:
  static constexpr auto profiles = "profiles: [" MUSTER_SOURCE_DIR "/config/profiles]\n";
  fixtures::ScratchDirectory scratch_;
};

// From its choice on, not only when the meeting begins: no other process can take it in between.
TEST_F(HoldingPorts, ListensWhereOtherNodesWillCome) {
  const auto node = first_of({"node1", "node2"});
  ASSERT_TRUE(node.ports.rendezvous) << node.failure;
  EXPECT_TRUE(fixtures::client(node.ports.rendezvous->port()));
}

TEST_F(HoldingPorts, DoesNotListenWhereNobodyWillCome) {
  const auto node = first_of({"node1"});
  ASSERT_TRUE(node.ports.rendezvous);
  EXPECT_FALSE(fixtures::client(node.ports.rendezvous->port()));
}

TEST_F(HoldingPorts, KeepsTheExchangesPortForItsOwnUser) {
  const auto node = first_of({"node1"});
  ASSERT_TRUE(node.ports.exchange);
  const auto port = node.ports.exchange->port();
  EXPECT_EQ(port, node.ports.exchange_port);
  EXPECT_FALSE(fixtures::server(port, true));
  EXPECT_TRUE(fixtures::server(port, true, "0.0.0.0", true));
}

}  // namespace
}  // namespace muster::agent
