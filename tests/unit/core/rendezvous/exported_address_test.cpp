#include "core/rendezvous/exported_address.hpp"

#include <gtest/gtest.h>

namespace muster::rendezvous {
namespace {

TEST(ExportedAddress, HasAHostWithAndWithoutAPort) {
  for (const auto* const value : {"node1", "node1:29500"}) EXPECT_EQ(host_of(value), "node1");
  EXPECT_EQ(host_of("10.0.0.1:29500"), "10.0.0.1");
  for (const auto* const value : {"fd00::1", "[fd00::1]:29500", "[fd00::1]", "[fd00::1"})
    EXPECT_EQ(host_of(value), "fd00::1");
  EXPECT_EQ(host_of(""), "");
}

ExportedAddress leading(Leads where) {
  return {.name = "MASTER_ADDR", .value = "x", .leads = where};
}

TEST(ExportedAddress, IsRightWhereTheRanksCanMeet) {
  for (const std::size_t nodes : {1, 2}) {
    EXPECT_TRUE(is_right(leading(Leads::to_rank_0), nodes));
    EXPECT_FALSE(is_right(leading(Leads::elsewhere), nodes));
    EXPECT_FALSE(is_right(leading(Leads::nowhere), nodes));
  }
  EXPECT_TRUE(is_right(leading(Leads::to_itself), 1));
  EXPECT_FALSE(is_right(leading(Leads::to_itself), 2));
}

TEST(ExportedAddress, IsReplacedIfItIsWrongOnceMusterHasChosenTheNodes) {
  EXPECT_TRUE(replaces_exported({leading(Leads::elsewhere)}, 2, true));
  EXPECT_FALSE(replaces_exported({leading(Leads::elsewhere)}, 2, false)) << "the user's own choice";
  EXPECT_FALSE(replaces_exported({leading(Leads::to_rank_0)}, 2, true));
  EXPECT_TRUE(replaces_exported({leading(Leads::to_rank_0), leading(Leads::nowhere)}, 2, true));
  EXPECT_FALSE(replaces_exported({}, 2, true));
}

}  // namespace
}  // namespace muster::rendezvous
