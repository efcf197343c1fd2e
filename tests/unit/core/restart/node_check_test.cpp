#include "core/restart/node_check.hpp"

#include "fixtures/random_record.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace muster::restart {
namespace {

using Checks = std::vector<NodeCheck>;

TEST(NodeCheck, ComesBackAsItWas) {
  const Checks checks{{"node1", 0, false, Health::unknown, ""},
                      {"node2.site", 3, true, Health::ill, "exit code 1: GPU 3 is missing"},
                      {"n", 0, false, Health::well, ""},
                      {"n3", 4294967295U, false, Health::unclear, "killed by signal 9"}};
  std::string text;
  for (const auto& check : checks) text += to_line(check);
  EXPECT_EQ(node_checks_in(text), checks);
}

TEST(NodeCheck, StaysOneLineWhateverTheCommandPrints) {
  const NodeCheck check{"node1", 0, false, Health::ill, "exit code 1: a\nb\tc\x1b[2J"};
  const auto line = to_line(check);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
  ASSERT_EQ(node_checks_in(line).size(), 1U);
}

TEST(NodeChecks, PassOverWhatSrunAndOthersSay) {
  EXPECT_EQ(node_checks_in(""), Checks{});
  const auto line = to_line({"node1", 0, false, Health::well, ""});
  EXPECT_EQ(node_checks_in("srun: error: node2: task 1: Exited with exit code 1\n" + line +
                           "muster-node-check node2 0 0\n" + 'x' + line +
                           to_line({"", 0, false, Health::well, ""}) +
                           to_line({"node4", 0, false, Health{4}, ""})),
            (Checks{{"node1", 0, false, Health::well, ""}}));
  EXPECT_EQ(node_checks_in(line.substr(0, line.size() - 1) + std::string(2000, 'x')), Checks{});
}

TEST(NodeCheck, ComesBackAsItWasAndNothingElseDoes) {
  fixtures::expect_one_form<NodeCheck>();
}

TEST(NodeChecks, AreReadFromAnyTextAtAll) {
  fixtures::RandomText random(14);
  const auto line = to_line({"node1", 1, true, Health::ill, "exit code 1"});
  for (int i = 0; i < 20'000; ++i) {
    for (const auto& check : node_checks_in(random.mutate(random.mutate(line)))) {
      EXPECT_FALSE(check.node.empty());
      EXPECT_EQ(to_line(check).find('\n'), to_line(check).size() - 1);
    }
  }
}

}  // namespace
}  // namespace muster::restart
