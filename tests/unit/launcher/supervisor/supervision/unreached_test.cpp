#include "launcher/supervisor/supervision/unreached.hpp"

#include <gtest/gtest.h>

namespace muster::supervision {
namespace {

using namespace std::chrono_literals;
using report::NodeState;

const std::vector<std::string> three_nodes{"node1", "node2", "node3"};
const channel::Address address{.port = 31800, .addresses = {"10.0.0.1"}};

report::Record step_of(std::chrono::nanoseconds seconds) {
  report::Record record;
  record.created = report::Moment{10s, {}};
  record.over = report::Moment{10s + seconds, {}};
  return record;
}

std::string text_of(report::Record record) {
  name_silent_nodes(record, three_nodes);
  return unreached_text(record, "login", address);
}

TEST(Unreached, NodesAreCountedWhereNoneCame) {
  EXPECT_EQ(text_of(step_of(8s)),
            "node1 and 2 other nodes never reached port 31800 of login, so the report cannot "
            "say which rank fails there; open the port to the nodes, or set control_ports in "
            "the site's file to ports that are open");
}

TEST(Unreached, NodesAreNamedWhereOthersCame) {
  auto record = step_of(8s);
  record.nodes.resize(3);
  for (const std::size_t node : {0, 2}) {
    record.nodes[node].name = "known";
    record.nodes[node].state = NodeState::done;
  }
  EXPECT_TRUE(text_of(record).starts_with("node2 never reached port 31800 of login"));
  name_silent_nodes(record, three_nodes);
  EXPECT_EQ(record.nodes[0].name, "known");
  EXPECT_EQ(record.nodes[1].name, "node2");
}

TEST(Unreached, IsSaidOfNoStepInWhichAllCame) {
  auto record = step_of(1h);
  record.nodes.resize(3);
  for (auto& node : record.nodes) node.state = NodeState::done;
  EXPECT_EQ(text_of(record), "");
}

// A step that was refused or failed at once: something else reports that.
TEST(Unreached, IsSaidOfNoShortStep) {
  EXPECT_EQ(text_of(step_of(7999ms)), "");
}

// srun waited for nodes, and was told that there are none.
TEST(Unreached, IsSaidOfNoSrunWithoutAStep) {
  auto record = step_of(1h);
  record.created.reset();
  EXPECT_EQ(text_of(record), "");
}

TEST(Unreached, BelievesNoAgentThatCountsTheNodesDifferently) {
  auto record = step_of(1h);
  record.nodes.resize(2);
  EXPECT_EQ(text_of(record), "");
}

TEST(Unreached, SaysWhereNoPortCouldBeHad) {
  auto record = step_of(1h);
  name_silent_nodes(record, three_nodes);
  EXPECT_EQ(unreached_text(record, "login", {}),
            "login found no free port for the nodes, so the report cannot say which rank fails; "
            "set control_ports in the site's file to ports that are free");
}

}  // namespace
}  // namespace muster::supervision
