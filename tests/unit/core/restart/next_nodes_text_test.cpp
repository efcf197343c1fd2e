#include "core/restart/next_nodes_text.hpp"

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

TEST(Changes, AreNoneOnTheSameNodes) {
  EXPECT_EQ(changes({{"node1", "node2"}, {}, {}}), " on the same nodes");
}

TEST(Changes, NameWhoGoesAndWhoComes) {
  EXPECT_EQ(
      changes({{"node1", "node4"}, {{"node2", Fitness::unfit, "lost: no heartbeat"}}, {"node4"}}),
      " on 2 nodes, without node2 (lost: no heartbeat), with node4");
}

TEST(Changes, StayOneLineWhateverAnAdministratorWrites) {
  const auto text = changes({{"node1"}, {{"node2", Fitness::doubtful, "drained: bad\nfan"}}, {}});
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(TooFew, CountsWhatCanBeUsedAndNamesOneThatCannot) {
  const std::vector<Candidate> nodes{{"node1", Fitness::fit, ""},
                                     {"node2", Fitness::unfit, "down"},
                                     {"node3", Fitness::doubtful, "drained"}};
  EXPECT_EQ(
      too_few(nodes, 3),
      "the run needs 3 nodes, but can use only 2 of the job's 3 (node2: down); spares=N keeps "
      "nodes in "
      "reserve, nodes=MIN:MAX continues with fewer");
}

TEST(LostWhereNodesAreUnknown, NamesTheNode) {
  report::Record record;
  record.nodes.resize(2);
  EXPECT_EQ(lost_where_nodes_are_unknown(record), "");
  record.nodes[1].name = "node7";
  record.nodes[1].state = report::NodeState::lost;
  EXPECT_EQ(lost_where_nodes_are_unknown(record),
            "node7 is lost, and muster does not know which other nodes this step could use");
}

}  // namespace
}  // namespace muster::restart
