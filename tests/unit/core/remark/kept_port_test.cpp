#include "core/remark/kept_port.hpp"

#include "made_up_profile.hpp"

#include <gtest/gtest.h>

namespace muster::remark {
namespace {

TEST(KeptPort, IsTheUsersWhereTheRanksMeetAtIt) {
  const auto meets = made_up_profile("MASTER_PORT", "{master_port}");
  EXPECT_NE(kept_port(meets, Origin::user, 29500).find("MASTER_PORT=29500 is exported"),
            std::string::npos);
  EXPECT_EQ(kept_port(meets, Origin::option, 29500), "");
  EXPECT_EQ(kept_port(meets, Origin::rendezvous, 29500), "");
  EXPECT_EQ(kept_port(ranks, Origin::user, 29500), "");
}

TEST(KeptAddress, IsOneThatIsNotRank0s) {
  const auto meets = made_up_profile("MASTER_PORT", "{master_port}");
  const auto remark_on = [&](const std::string& exported) {
    return kept_address(meets, exported, "10.0.0.1", "node1");
  };
  EXPECT_NE(remark_on("10.0.0.2").find("but rank 0 runs on node1 (10.0.0.1)"), std::string::npos);
  EXPECT_NE(remark_on("node2"), "");
  for (const auto* const right : {"", "10.0.0.1", "node1", "node1.cluster"}) {
    EXPECT_EQ(remark_on(right), "") << right;
  }
}

}  // namespace
}  // namespace muster::remark
