// What each node reports, and how the reports of many nodes become a few lines for the user.
#pragma once

#include "core/layout/ids.hpp"
#include "core/record/limits.hpp"
#include "launcher/agent/node/node_addresses.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::rendezvous {

struct NodeReport {
  std::string failure;  // why the node cannot continue; empty if it can
  std::vector<std::string> warnings = {};
  std::vector<std::size_t> reached = {};  // indexes of the addresses where the ranks may meet
};

template <class Io>
void fields(Io& io, NodeReport& report) {
  io(report.failure, record::Line{2048});
  io(report.warnings, record::First{24}, record::Line{512});
  io(report.reached, record::First{node::max_node_addresses});
  if constexpr (Io::reads) std::erase(report.warnings, std::string());
}
inline constexpr std::size_t max_node_report_bytes = std::size_t{16} << 10;

std::string to_text(const NodeReport& report);
// No value if to_text() cannot have written this text.
std::optional<NodeReport> report_from_text(std::string_view text);

// What a relay forwards, for several nodes at once.
using NodeReports = std::map<layout::NodeIndex, NodeReport>;

struct NamedReport {
  std::string node;
  NodeReport report;
};

// "node7", or "node1, node2 and 30 more".
std::string list_nodes(const std::vector<std::string>& names);

// Merges the same text from several nodes into one line.
std::vector<std::string> merge_warnings(const std::vector<NamedReport>& reports);

// The first failure, and how many nodes have one; empty if there is none.
std::string merge_failures(const std::vector<NamedReport>& reports);

}  // namespace muster::rendezvous
