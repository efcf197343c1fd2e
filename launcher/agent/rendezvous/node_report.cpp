#include "launcher/agent/rendezvous/node_report.hpp"

#include "core/record/record.hpp"
#include "core/text/list.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

namespace muster::rendezvous {
namespace {

constexpr std::size_t max_names = 4;  // in one line

}  // namespace

std::string to_text(const NodeReport& report) {
  return record::write(report);
}

std::optional<NodeReport> report_from_text(std::string_view text) {
  return record::read<NodeReport>(text);
}

std::string list_nodes(const std::vector<std::string>& names) {
  if (names.size() <= max_names) return text::join(names, ", ");
  const std::vector<std::string> first(names.begin(), names.begin() + max_names);
  return fmt::format("{} and {} more", text::join(first, ", "), names.size() - max_names);
}

std::vector<std::string> merge_warnings(const std::vector<NamedReport>& reports) {
  std::map<std::string, std::vector<std::string>> nodes_by_warning;
  for (const auto& [node, report] : reports) {
    for (const auto& warning : report.warnings) nodes_by_warning[warning].push_back(node);
  }
  std::vector<std::string> lines;
  for (const auto& [warning, nodes] : nodes_by_warning) {
    lines.push_back(fmt::format("{}: {}", list_nodes(nodes), warning));
  }
  return lines;
}

std::string merge_failures(const std::vector<NamedReport>& reports) {
  std::vector<std::string> nodes;
  std::string first;
  for (const auto& [node, report] : reports) {
    if (report.failure.empty()) continue;
    nodes.push_back(node);
    if (first.empty()) first = report.failure;
  }
  if (nodes.size() < 2) return first;
  return fmt::format("{} ({} nodes report errors: {})", first, nodes.size(), list_nodes(nodes));
}

}  // namespace muster::rendezvous
