#include "launcher/agent/rendezvous/node_report.hpp"

#include <string>

#include <gtest/gtest.h>

namespace muster::rendezvous {
namespace {

TEST(NodeReport, ComesBackAsItWas) {
  const NodeReport report{.failure = "no port", .warnings = {"one", "two"}, .reached = {0, 2}};
  const auto read = report_from_text(to_text(report));
  EXPECT_EQ(read.failure, report.failure);
  EXPECT_EQ(read.warnings, report.warnings);
  EXPECT_EQ(read.reached, report.reached);
}

// An empty line would be a warning without text for the user, and would be lost only at the end.
TEST(NodeReport, HasNoEmptyWarning) {
  for (const auto* const text : {"\n0 2\na\n\n", "\n0 2\n\na\n", "\n0 2\n\n\na"}) {
    EXPECT_EQ(report_from_text(text).warnings, std::vector<std::string>{"a"}) << text;
  }
  const auto reports = reports_from_text("3 2\n\n0\n\na\n");
  ASSERT_TRUE(reports.contains(3));
  EXPECT_EQ(reports.at(3).warnings, std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace muster::rendezvous
