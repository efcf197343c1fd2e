#include "launcher/rendezvous/node_report.hpp"

#include "launcher/rendezvous/addresses.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace muster::agent {
namespace {

constexpr std::size_t most_names = 4;  // in one line

// A line must stay one: nothing that a node says may start another.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

std::string to_text(const NodeReport& report) {
  auto text = one_line(report.trouble) + '\n' + to_text(report.reached);
  for (const auto& warning : report.warnings) text += '\n' + one_line(warning);
  return text;
}

NodeReport report_from_text(std::string_view text) {
  NodeReport report;
  const auto end = std::min(text.find('\n'), text.size());
  report.trouble = text.substr(0, end);
  text.remove_prefix(end);
  std::vector<std::string> lines;
  while (!text.empty()) {
    text.remove_prefix(1);
    const auto line_end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, line_end));
    text.remove_prefix(line_end);
  }
  if (lines.empty()) return report;
  report.reached = indexes_from_text(lines.front());
  report.warnings.assign(lines.begin() + 1, lines.end());
  return report;
}

std::string list_nodes(const std::vector<std::string>& names) {
  if (names.size() <= most_names) return fmt::format("{}", fmt::join(names, ", "));
  const std::vector<std::string> first(names.begin(), names.begin() + most_names);
  return fmt::format("{} and {} more", fmt::join(first, ", "), names.size() - most_names);
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

std::string merge_troubles(const std::vector<NamedReport>& reports) {
  std::vector<std::string> nodes;
  std::string first;
  for (const auto& [node, report] : reports) {
    if (report.trouble.empty()) continue;
    nodes.push_back(node);
    if (first.empty()) first = report.trouble;
  }
  if (nodes.size() < 2) return first;
  return fmt::format("{} (the same or worse on {} nodes: {})", first, nodes.size(),
                     list_nodes(nodes));
}

}  // namespace muster::agent
