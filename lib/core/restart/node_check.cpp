#include "core/restart/node_check.hpp"

#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

namespace muster::restart {
namespace {

// Other lines, such as srun's own, do not begin so.
constexpr std::string_view mark = "muster-node-check";
constexpr std::array<std::string_view, 4> words{"unknown", "well", "ill", "unclear"};
constexpr std::size_t max_node_name = 255;

std::string_view take_word(std::string_view& line) {
  const auto word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(word.size() + 1, line.size()));
  return word;
}

std::optional<Health> health_of(std::string_view word) {
  const auto* const found = std::ranges::find(words, word);
  if (found == words.end()) return std::nullopt;
  return static_cast<Health>(found - words.begin());
}

std::optional<NodeCheck> node_check(std::string_view line) {
  if (line.size() > max_check_line_bytes || take_word(line) != mark) return std::nullopt;
  const auto node = take_word(line);
  const auto processes = text::number<std::uint32_t>(take_word(line));
  const auto memory = text::number<std::uint32_t>(take_word(line));
  const auto health = health_of(take_word(line));
  if (node.empty() || node.size() > max_node_name || !processes || !memory || *memory > 1 ||
      !health) {
    return std::nullopt;
  }
  return NodeCheck{std::string(node), *processes, *memory == 1, *health, text::printable(line)};
}

}  // namespace

std::string to_line(const NodeCheck& check) {
  const auto health = words.at(static_cast<std::size_t>(check.health));
  return fmt::format("{} {} {} {} {} {}\n", mark, check.node, check.old_processes,
                     check.gpu_memory_held ? 1 : 0, health, text::printable(check.why));
}

std::vector<NodeCheck> node_checks_in(std::string_view text) {
  std::vector<NodeCheck> checks;
  for (const auto line : text::split(text, '\n')) {
    if (auto check = node_check(line)) checks.push_back(std::move(*check));
  }
  return checks;
}

}  // namespace muster::restart
