#include "core/slurm/switches.hpp"

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

TEST(LeafSwitches, AreThoseOfTheLowestLevel) {
  EXPECT_EQ(
      leaf_switches_from_text("SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=s[1-2]\n"
                              "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[1-2]\n"
                              "SwitchName=s2 Level=0 LinkSpeed=1 Nodes=n[3-4]\n"),
      (LeafSwitches{{"n1", "s1"}, {"n2", "s1"}, {"n3", "s2"}, {"n4", "s2"}}));
}

TEST(LeafSwitches, CanBeBlocks) {
  EXPECT_EQ(
      leaf_switches_from_text("BlockName=b1 BlockIndex=0 Nodes=n[1-2] BlockSize=2\n"
                              "AggregatedBlock=b[1-2] BlockIndex=2 Nodes=n[1-4] BlockSize=4\n"),
      (LeafSwitches{{"n1", "b1"}, {"n2", "b1"}}));
}

TEST(LeafSwitches, NameANodesFirstSwitchWhereItHasSeveral) {
  EXPECT_EQ(leaf_switches_from_text("SwitchName=rail0 Level=0 LinkSpeed=1 Nodes=n1\n"
                                    "SwitchName=rail1 Level=0 LinkSpeed=1 Nodes=n[1-2]\n"),
            (LeafSwitches{{"n1", "rail0"}, {"n2", "rail1"}}));
}

TEST(LeafSwitches, AreNoneWithoutATopology) {
  EXPECT_EQ(leaf_switches_from_text(""), LeafSwitches{});
  EXPECT_EQ(leaf_switches_from_text("scontrol: error: No topology information available\n"),
            LeafSwitches{});
  EXPECT_EQ(leaf_switches_from_text("SwitchName=s1 Level=0 LinkSpeed=1\n"), LeafSwitches{});
}

TEST(LeafSwitches, PassOverAListThatCannotBeRead) {
  EXPECT_EQ(leaf_switches_from_text("SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[1-\n"
                                    "SwitchName=s2 Level=0 LinkSpeed=1 Nodes=n3\n"),
            (LeafSwitches{{"n3", "s2"}}));
}

}  // namespace
}  // namespace muster::slurm
