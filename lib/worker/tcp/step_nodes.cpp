#include "worker/tcp/step_nodes.hpp"

#include "worker/tcp/numbering.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace muster::worker::tcp {
namespace {

std::optional<unsigned long> number(std::string_view text) {
  unsigned long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional{value} : std::nullopt;
}

std::string_view take_until(std::string_view& text, char separator) {
  const auto end = std::min(text.find(separator), text.size());
  const auto taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

// Pads to as many digits as the first number of the range has.
std::string padded(unsigned long value, std::size_t digits) {
  auto text = std::to_string(value);
  return std::string(digits - std::min(digits, text.size()), '0') + text;
}

// Parses "01-03,7". Returns false if it is not a list of ranges.
bool add_ranges(std::vector<std::string>& names, std::string_view prefix, std::string_view ranges,
                std::string_view suffix, std::size_t max) {
  while (!ranges.empty()) {
    auto range = take_until(ranges, ',');
    const auto first_text = take_until(range, '-');
    const auto first = number(first_text);
    const auto last = range.empty() ? first : number(range);
    if (!first || !last || *last < *first || *last - *first >= max - names.size()) return false;
    for (auto each = *first; each <= *last; ++each) {
      names.push_back(std::string{prefix} + padded(each, first_text.size()) + std::string{suffix});
    }
  }
  return true;
}

}  // namespace

std::vector<std::string> expand_nodes(std::string_view list, std::size_t max) {
  std::vector<std::string> names;
  while (!list.empty()) {
    if (names.size() >= max) return {};
    const auto open = list.find('[');
    if (open >= list.find(',')) {  // true also if there is neither bracket nor comma
      names.emplace_back(take_until(list, ','));
      continue;
    }
    const auto close = list.find(']', open);
    if (close == std::string_view::npos) return {};
    const auto prefix = list.substr(0, open);
    const auto ranges = list.substr(open + 1, close - open - 1);
    list.remove_prefix(close + 1);
    const auto suffix = take_until(list, ',');
    // Names with several ranges are rare, and a message can do without them.
    if (suffix.find('[') != std::string_view::npos) return {};
    if (!add_ranges(names, prefix, ranges, suffix, max)) return {};
  }
  return names;
}

std::vector<std::string> StepNodes::by_rank(std::size_t ranks) const {
  std::vector<std::string> by_rank;
  const auto names = expand_nodes(nodes, ranks);
  for (std::size_t node = 0; node < names.size(); ++node) {
    const auto tasks = tasks_of_node(tasks_per_node, static_cast<int>(node));
    if (!tasks || by_rank.size() + static_cast<std::size_t>(tasks->here) > ranks) return {};
    by_rank.insert(by_rank.end(), static_cast<std::size_t>(tasks->here), names[node]);
  }
  if (by_rank.size() != ranks) by_rank.clear();
  return by_rank;
}

StepNodes step_nodes(const Environment& environment) {
  const auto distribution = environment.get("SLURM_DISTRIBUTION");
  if (!distribution.empty() && !distribution.starts_with("block")) return {};
  return {std::string{environment.get("SLURM_STEP_NODELIST")},
          std::string{environment.get("SLURM_STEP_TASKS_PER_NODE")}};
}

}  // namespace muster::worker::tcp
