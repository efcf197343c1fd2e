#include "core/slurm/node.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::slurm {
namespace {

std::string node_line(const std::string& state, const std::string& end = "") {
  return "NodeName=n1 Arch=x86_64 Gres=gpu:4(S:0-1) NodeAddr=10.0.0.1 NodeHostName=n1 "
         "OS=Linux 6.1 #1 SMP State=" +
         state + " ThreadsPerCore=1 Partitions=all  ExtSensorsTemp=n/s" + end + "\n";
}

Node of_state(const std::string& state) {
  return nodes_from_text(node_line(state)).at(0);
}

TEST(Nodes, AreOneForEachNode) {
  const auto nodes = nodes_from_text(
      "NodeName=n1 NodeAddr=a State=IDLE \nNode n9 not found\n\n"
      "NodeName=n2 NodeAddr=b Port=7001 Version=22.05.8 State=DOWN \n");
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0], (Node{"n1", false, false, false, "", "a", 0}));
  EXPECT_EQ(nodes[1], (Node{"n2", true, false, false, "", "b", 7001}));
}

TEST(Nodes, AreHiddenIfSlurmctldRefusesToShowThem) {
  EXPECT_TRUE(refuses_nodes("slurm_load_node error: Access/permission denied\n"));
  EXPECT_FALSE(refuses_nodes("slurm_load_node error: Unable to contact slurm controller\n"));
  EXPECT_FALSE(refuses_nodes(node_line("IDLE")));
}

TEST(Nodes, ThatAreHiddenHaveTheirNamesAsAddressesAndNoState) {
  const std::vector<std::string> names{"n1", "n2"};
  const auto nodes = nodes_from_names(names);
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[1], (Node{"n2", false, false, false, "", "n2", 0}));
}

TEST(Nodes, MayWork) {
  for (const auto* const state :
       {"IDLE", "ALLOCATED", "MIXED", "MIXED+PLANNED", "IDLE+CLOUD", "ALLOCATED+COMPLETING",
        "IDLE+MAINTENANCE+RESERVED", "MIXED+BLOCKED", "IDLE+POWERING_UP", "IDLE+DYNAMIC_NORM"}) {
    const auto node = of_state(state);
    EXPECT_FALSE(node.down || node.drained || node.not_responding) << state;
  }
}

TEST(Nodes, AreDownWithoutPowerTooOrWhereTheNodeFails) {
  for (const auto* const state : {"DOWN", "DOWN+NOT_RESPONDING", "DOWN*", "MIXED+FAIL",
                                  "ALLOCATED+POWERING_DOWN", "IDLE+CLOUD+POWERED_DOWN"}) {
    EXPECT_TRUE(of_state(state).down) << state;
  }
}

TEST(Nodes, AreDrainedInEachFormAndBeforeAReboot) {
  for (const auto* const state :
       {"IDLE+DRAIN", "ALLOCATED+DRAIN", "MIXED+DRAIN+NOT_RESPONDING", "DRAINING*", "DRAINED",
        "MIXED+REBOOT_REQUESTED", "IDLE+REBOOT_ISSUED", "REBOOT^", "MIXED@", "IDLE+INVALID_REG"}) {
    const auto node = of_state(state);
    EXPECT_TRUE(node.drained && !node.down) << state;
  }
}

TEST(Nodes, SayWhetherTheControllerHasAnAnswer) {
  EXPECT_TRUE(of_state("MIXED+NOT_RESPONDING").not_responding);
  EXPECT_TRUE(of_state("IDLE*").not_responding);
  EXPECT_FALSE(of_state("MIXED").not_responding);
}

TEST(Nodes, HaveTheReasonWithoutItsAuthor) {
  const auto reason = [](const std::string& text) {
    return nodes_from_text(node_line("IDLE+DRAIN", text)).at(0).reason;
  };
  EXPECT_EQ(reason(""), "");
  EXPECT_EQ(reason(" Reason=bad GPU [root@2026-01-01T00:00:00]"), "bad GPU");
  EXPECT_EQ(reason(" Reason=GPU [3] of a=b [bob@2026-01-01T00:00:00] Comment=x"), "GPU [3] of a=b");
  EXPECT_EQ(reason(" Reason=Not responding"), "Not responding");
  EXPECT_EQ(reason(" Reason=\x1b[31mred [root@x]"), "\\x1b[31mred");
}

TEST(Nodes, NameTheirActiveFeatures) {
  EXPECT_EQ(nodes_from_text("NodeName=n1 AvailableFeatures=a,b,c ActiveFeatures=a,b Gres=(null)\n")
                .at(0)
                .features,
            "a,b");
}

TEST(Nodes, AreLeftOutWhereTheirLineWasCutOff) {
  EXPECT_EQ(nodes_from_text("NodeName=n1 State=IDLE\nNodeName=n2 NodeAddr=b").size(), 1U);
  EXPECT_TRUE(nodes_from_text("NodeName=n1 State=IDLE").empty());
}

}  // namespace
}  // namespace muster::slurm
