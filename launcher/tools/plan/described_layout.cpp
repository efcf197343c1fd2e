#include "launcher/tools/plan/described_layout.hpp"

#include "core/error.hpp"
#include "core/slurm/hostlist.hpp"
#include "core/text/quote.hpp"

#include <charconv>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace muster::plan {
namespace {

constexpr std::uint32_t whole_node = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t max_tasks_per_node = 65536;

std::uint32_t number(std::string_view text, std::uint32_t most, const std::string& otherwise) {
  std::uint32_t value = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || value == 0 || value > most) throw Error(otherwise);
  return value;
}

// Commas inside brackets belong to a host list.
std::vector<std::string_view> groups(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++depth;
    if (i < text.size() && text[i] == ']') --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    parts.push_back(text.substr(start, i - start));
    start = i + 1;
  }
  return parts;
}

std::uint32_t plane_size(std::string_view distribution) {
  if (distribution == "block") return whole_node;
  if (distribution == "cyclic") return 1;
  const auto wrong = fmt::format("--distribution={}: unknown; use block, cyclic or plane=N",
                                 text::in_quotes(distribution));
  if (!distribution.starts_with("plane=")) throw Error(wrong);
  return number(distribution.substr(6), max_tasks_per_node, wrong);
}

}  // namespace

layout::Layout described_layout(std::string_view text, std::string_view distribution) {
  layout::Layout layout;
  std::vector<std::uint32_t> tasks;
  for (const auto group : groups(text)) {
    const auto colon = group.rfind(':');
    const auto wrong = fmt::format("--layout {}: {} is not HOSTLIST:TASKS, such as node[1-4]:8",
                                   text::in_quotes(text), text::in_quotes(group));
    if (colon == std::string_view::npos || colon == 0) throw Error(wrong);
    const auto count = number(group.substr(colon + 1), max_tasks_per_node, wrong);
    for (auto& name : slurm::expand_hostlist(group.substr(0, colon))) {
      layout.nodes.push_back(std::move(name));
      tasks.push_back(count);
    }
  }
  if (std::set(layout.nodes.begin(), layout.nodes.end()).size() != layout.nodes.size()) {
    throw Error(
        fmt::format("--layout {}: a node is listed twice; give each node a single number of tasks",
                    text::in_quotes(text)));
  }
  layout.node_of_task = layout::distribute(tasks, plane_size(distribution));
  layout.first_address = layout.nodes[layout.node_of_task.front()];
  return layout;
}

}  // namespace muster::plan
