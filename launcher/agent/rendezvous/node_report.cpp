#include "launcher/agent/rendezvous/node_report.hpp"

#include "core/text/list.hpp"
#include "launcher/agent/rendezvous/addresses.hpp"

#include <algorithm>
#include <map>
#include <sstream>

#include <fmt/format.h>

namespace muster::rendezvous {
namespace {

constexpr std::size_t max_names = 4;  // in one line

// One line must stay one line: a node's text must not start another.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string_view take_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

void add_warning(NodeReport& report, std::string_view line) {
  if (!line.empty()) report.warnings.emplace_back(line);
}

}  // namespace

std::string to_text(const NodeReport& report) {
  auto text = one_line(report.failure) + '\n' + to_text(report.reached);
  for (const auto& warning : report.warnings) text += '\n' + one_line(warning);
  return text;
}

NodeReport report_from_text(std::string_view text) {
  NodeReport report;
  report.failure = take_line(text);
  if (!text.empty()) report.reached = indexes_from_text(take_line(text));
  while (!text.empty()) add_warning(report, take_line(text));
  return report;
}

std::string to_text(const NodeReports& reports) {
  std::string text;
  for (const auto& [node, report] : reports) {
    text += fmt::format("{} {}\n{}\n", node, report.warnings.size(), to_text(report));
  }
  return text;
}

NodeReports reports_from_text(std::string_view text) {
  NodeReports reports;
  while (!text.empty()) {
    std::istringstream head{std::string(take_line(text))};
    layout::NodeIndex node = 0;
    std::size_t warnings = 0;
    if (!(head >> node >> warnings)) break;
    auto& report = reports[node];
    report.failure = take_line(text);
    report.reached = indexes_from_text(take_line(text));
    for (; warnings > 0 && !text.empty(); --warnings) {
      add_warning(report, take_line(text));
    }
  }
  return reports;
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
  return fmt::format("{} (the same or worse on {} nodes: {})", first, nodes.size(),
                     list_nodes(nodes));
}

}  // namespace muster::rendezvous
