// What each node reports, and how the reports of many nodes become a few lines for the user.
#pragma once

#include "core/layout/ids.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::rendezvous {

struct NodeReport {
  std::string failure;  // why the node cannot go on; empty when it can
  std::vector<std::string> warnings = {};
  std::vector<std::size_t> reached = {};  // indexes of the addresses where the ranks may meet
};

// One line each: the failure, the addresses, the warnings.
std::string to_text(const NodeReport& report);
NodeReport report_from_text(std::string_view text);

// What a relay forwards, for several nodes at once.
using NodeReports = std::map<layout::NodeIndex, NodeReport>;

std::string to_text(const NodeReports& reports);
NodeReports reports_from_text(std::string_view text);

struct NamedReport {
  std::string node;
  NodeReport report;
};

// "node7", or "node1, node2 and 30 more".
std::string list_nodes(const std::vector<std::string>& names);

// The same text from several nodes becomes one line.
std::vector<std::string> merge_warnings(const std::vector<NamedReport>& reports);

// The first failure and how many nodes have one; empty if none has.
std::string merge_failures(const std::vector<NamedReport>& reports);

}  // namespace muster::rendezvous
