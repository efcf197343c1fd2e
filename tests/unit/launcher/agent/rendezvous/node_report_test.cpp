#include "launcher/agent/rendezvous/node_report.hpp"

#include "fixtures/random_record.hpp"
#include "launcher/agent/rendezvous/handshake.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::rendezvous {
namespace {

TEST(NodeReport, ComesBackAsItWasAndNothingElseDoes) {
  const NodeReport report{.failure = "no port", .warnings = {"one", "two"}, .reached = {0, 2}};
  const auto read = report_from_text(to_text(report));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->failure, report.failure);
  EXPECT_EQ(read->warnings, report.warnings);
  EXPECT_EQ(read->reached, report.reached);
  fixtures::expect_one_form<NodeReport>();
  fixtures::expect_one_form<Hello>();
}

TEST(NodeReport, FitsIntoItsMessageHoweverMuchANodeHasToSay) {
  const NodeReport report{.failure = std::string(10000, 'f'),
                          .warnings = std::vector<std::string>(100, std::string(10000, 'w')),
                          .reached = std::vector<std::size_t>(100, SIZE_MAX)};
  const auto text = to_text(report);
  EXPECT_LE(text.size(), max_node_report_bytes);
  EXPECT_TRUE(report_from_text(text));
}

// It would be a warning without a text for the user.
TEST(NodeReport, HasNoEmptyWarning) {
  const NodeReport report{.failure = "", .warnings = {"", "a", ""}};
  EXPECT_EQ(report_from_text(to_text(report))->warnings, std::vector<std::string>{"a"});
}

// A node's text must not start another line of the user's.
TEST(NodeReport, IsMadeOfLines) {
  const auto read = report_from_text(to_text(NodeReport{.failure = "a\nb", .warnings = {"c\nd"}}));
  EXPECT_EQ(read->failure, "a b");
  EXPECT_EQ(read->warnings, std::vector<std::string>{"c d"});
}

}  // namespace
}  // namespace muster::rendezvous
