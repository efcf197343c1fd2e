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

}  // namespace
}  // namespace muster::remark
