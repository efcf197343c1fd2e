#include "core/restart/node_check.hpp"

#include "core/record/record.hpp"
#include "core/text/list.hpp"

#include <optional>

#include <fmt/format.h>

namespace muster::restart {
namespace {

// Other lines, such as srun's own, do not begin so.
constexpr std::string_view mark = "muster-node-check ";

std::optional<NodeCheck> node_check(std::string_view line) {
  if (line.size() > max_check_line_bytes || !line.starts_with(mark)) return std::nullopt;
  return record::read<NodeCheck>(line.substr(mark.size()));
}

}  // namespace

std::string to_line(const NodeCheck& check) {
  return fmt::format("{}{}\n", mark, record::write(check));
}

std::vector<NodeCheck> node_checks_in(std::string_view text) {
  std::vector<NodeCheck> checks;
  for (const auto line : text::split(text, '\n')) {
    if (auto check = node_check(line)) checks.push_back(std::move(*check));
  }
  return checks;
}

}  // namespace muster::restart
