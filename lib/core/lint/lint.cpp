#include "core/lint/lint.hpp"

#include "core/text/quote.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::lint {

const Variable* Circumstances::find(std::string_view name) const {
  const auto found = std::ranges::find(variables, name, &Variable::name);
  return found == variables.end() ? nullptr : &*found;
}

std::string_view Circumstances::value(std::string_view name) const {
  const auto* const found = find(name);
  return found == nullptr ? std::string_view() : std::string_view(found->value);
}

const std::vector<Row>& rows() {
  static const auto all = [] {
    std::vector<Row> rows;
    for (const auto& some : {obsolete_rows(), value_rows(), fabric_rows()})
      rows.insert(rows.end(), some.begin(), some.end());
    return rows;
  }();
  return all;
}

bool is_looked_at(std::string_view name) {
  return std::ranges::any_of(
      rows(), [&](const Row& row) { return std::ranges::count(row.names, name) > 0; });
}

std::vector<Finding> lint(const Circumstances& circumstances) {
  std::vector<Finding> findings;
  for (const auto& row : rows()) {
    auto found = row.look(circumstances);
    if (!found.empty()) findings.push_back({&row, std::move(found.front())});
  }
  return findings;
}

std::string what(const Variable& variable) {
  if (variable.value.empty() && variable.where.empty())
    return fmt::format("{} is not set", variable.name);
  const auto where =
      variable.where.empty() ? "" : fmt::format(" ({})", text::printable_path(variable.where));
  return fmt::format("{}={}{}", variable.name, text::printable(variable.value), where);
}

std::string to_line(const Finding& finding) {
  return fmt::format("{}: {}; {}", what(finding.variable), finding.row->why, finding.row->fix);
}

std::string remark(const std::vector<Finding>& findings) {
  if (findings.empty()) return {};
  const auto line = to_line(findings.front());
  if (findings.size() == 1) return line;
  return fmt::format("{} ({} more: muster doctor)", line, findings.size() - 1);
}

}  // namespace muster::lint
