#include "core/remark/exported_address.hpp"

#include <gtest/gtest.h>

namespace muster::remark {
namespace {

using rendezvous::ExportedAddress;
using rendezvous::Leads;

const RankZero rank_0{.node = "node1", .address = "10.0.0.1", .nodes = 2};

std::string kept(Leads leads, const RankZero& place = rank_0) {
  return kept_address({.name = "MASTER_ADDR", .value = "here", .leads = leads}, place);
}

TEST(KeptAddress, IsNamedWithTheReasonWhyTheRanksCannotMeetThere) {
  const auto line = [](const std::string& why) {
    return "MASTER_ADDR=here is exported, so it is kept, but " + why +
           "; unset MASTER_ADDR, or the ranks may wait for each other at different addresses";
  };
  EXPECT_EQ(kept(Leads::elsewhere), line("rank 0 runs on node1 (10.0.0.1)"));
  EXPECT_EQ(kept(Leads::to_itself), line("on each of the 2 nodes, it is that node's own address"));
  EXPECT_EQ(kept(Leads::nowhere), line("node1, where rank 0 runs, cannot resolve it"));
}

TEST(KeptAddress, IsNoNewsWhereItIsRight) {
  EXPECT_EQ(kept(Leads::to_rank_0), "");
  EXPECT_EQ(kept(Leads::to_itself, {.node = "node1", .address = "10.0.0.1", .nodes = 1}), "");
}

TEST(ReplacedAddress, SaysWhatTakesItsPlace) {
  const ExportedAddress exported{
      .name = "MASTER_ADDR", .value = "node2\n", .leads = Leads::elsewhere};
  EXPECT_EQ(
      replaced_address(exported, rank_0, "attempt"),
      "MASTER_ADDR=node2\\x0a is exported, but rank 0 of this attempt runs on node1, so muster sets "
      "MASTER_ADDR to 10.0.0.1; unset MASTER_ADDR, and muster sets it correctly every time");
}

}  // namespace
}  // namespace muster::remark
