#include "wire/layout_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace muster::wire {
namespace {

// Nodes first..first+nodes-1 hold `each` consecutive ranks in turn; the whole pattern repeats
// `repeat` times.
struct Run {
  std::uint32_t first = 0;
  std::uint32_t nodes = 1;
  std::uint32_t each = 1;
  std::uint32_t repeat = 1;

  [[nodiscard]] bool same_block(const Run& other) const {
    return first == other.first && nodes == other.nodes && each == other.each;
  }
  [[nodiscard]] std::uint64_t ranks() const { return std::uint64_t{nodes} * each * repeat; }
};

// Consecutive ranks on one node become one run.
std::vector<Run> by_node(const std::vector<std::uint32_t>& node_of_rank) {
  std::vector<Run> runs;
  for (const auto node : node_of_rank) {
    if (!runs.empty() && runs.back().first == node) {
      ++runs.back().each;
    } else {
      runs.push_back({.first = node});
    }
  }
  return runs;
}

// Neighbouring nodes with equal counts become one run.
std::vector<Run> join_neighbours(const std::vector<Run>& runs) {
  std::vector<Run> joined;
  for (const auto& run : runs) {
    if (!joined.empty() && joined.back().each == run.each &&
        joined.back().first + joined.back().nodes == run.first) {
      ++joined.back().nodes;
    } else {
      joined.push_back(run);
    }
  }
  return joined;
}

// Equal consecutive runs become one run with a repeat count.
std::vector<Run> join_repeats(const std::vector<Run>& runs) {
  std::vector<Run> joined;
  for (const auto& run : runs) {
    if (!joined.empty() && joined.back().same_block(run)) {
      ++joined.back().repeat;
    } else {
      joined.push_back(run);
    }
  }
  return joined;
}

// Reads a number, after the expected character if there is one.
bool take_number(std::string_view& text, char before, std::uint32_t& number) {
  if (before != '\0') {
    if (text.empty() || text.front() != before) return false;
    text.remove_prefix(1);
  }
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return true;
}

std::optional<Run> parse_run(std::string_view& text) {
  Run run;
  if (!take_number(text, '\0', run.first) || !take_number(text, '+', run.nodes) ||
      !take_number(text, 'x', run.each)) {
    return std::nullopt;
  }
  if (!text.empty() && text.front() == '*' && !take_number(text, '*', run.repeat)) {
    return std::nullopt;
  }
  const bool sane = run.nodes > 0 && run.each > 0 && run.repeat > 0 && run.first < max_tasks &&
                    run.nodes <= max_tasks && run.each <= max_tasks && run.repeat <= max_tasks;
  if (!sane || std::uint64_t{run.nodes} * run.each > max_tasks || run.ranks() > max_tasks) {
    return std::nullopt;
  }
  return run;
}

void expand(const Run& run, std::vector<std::uint32_t>& node_of_rank) {
  for (std::uint32_t turn = 0; turn < run.repeat; ++turn) {
    for (std::uint32_t node = 0; node < run.nodes; ++node) {
      node_of_rank.insert(node_of_rank.end(), run.each, run.first + node);
    }
  }
}

std::string encode_components(const std::vector<ComponentText>& components) {
  std::string text;
  for (const auto& [job_id, nodes, tasks] : components) {
    if (!text.empty()) text += ',';
    text += std::to_string(job_id) + ':' + std::to_string(nodes) + ':' + std::to_string(tasks);
  }
  return text;
}

std::optional<std::vector<ComponentText>> decode_components(std::string_view text) {
  std::vector<ComponentText> components;
  while (components.size() < max_components) {
    auto& [job_id, nodes, tasks] = components.emplace_back();
    if (!take_number(text, '\0', job_id) || !take_number(text, ':', nodes) ||
        !take_number(text, ':', tasks) || nodes > max_tasks || tasks > max_tasks) {
      return std::nullopt;
    }
    if (text.empty()) return components;
    if (text.front() != ',') return std::nullopt;
    text.remove_prefix(1);
  }
  return std::nullopt;
}

}  // namespace

std::string encode_mapping(const std::vector<std::uint32_t>& node_of_rank) {
  std::string text;
  for (const auto& run : join_repeats(join_neighbours(by_node(node_of_rank)))) {
    if (!text.empty()) text += ',';
    text += std::to_string(run.first) + '+' + std::to_string(run.nodes) + 'x' +
            std::to_string(run.each);
    if (run.repeat > 1) text += '*' + std::to_string(run.repeat);
  }
  return text;
}

std::optional<std::vector<std::uint32_t>> decode_mapping(std::string_view text) {
  std::vector<std::uint32_t> node_of_rank;
  while (true) {
    const auto run = parse_run(text);
    if (!run || node_of_rank.size() + run->ranks() > max_tasks) return std::nullopt;
    expand(*run, node_of_rank);
    if (text.empty()) return node_of_rank;
    if (text.front() != ',') return std::nullopt;
    text.remove_prefix(1);
  }
}

std::string encode(const StepLayoutText& layout) {
  const bool several = !layout.components.empty();
  auto text = (several ? "2|" : "1|") + layout.nodes + '|' + layout.mapping + '|' + layout.address;
  if (!layout.features.empty() || !layout.tres_bind.empty()) text += ' ' + layout.features;
  if (!layout.tres_bind.empty()) text += ' ' + layout.tres_bind;
  if (several) text += '|' + encode_components(layout.components);
  return text;
}

std::optional<StepLayoutText> decode_step_layout(std::string_view text) {
  // All separators must be present: a truncated line has fewer.
  const bool several = text.starts_with("2|");
  if (std::count(text.begin(), text.end(), '|') != (several ? 4 : 3)) return std::nullopt;
  std::array<std::string_view, 5> fields;
  for (auto& field : fields) {
    const auto end = std::min(text.find('|'), text.size());
    field = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!several && fields[0] != "1") return std::nullopt;
  if (fields[1].empty() || fields[2].empty()) return std::nullopt;
  auto components =
      several ? decode_components(fields[4]) : std::make_optional(std::vector<ComponentText>());
  if (!components) return std::nullopt;
  auto& rest = fields[3];
  std::array<std::string_view, 3> words;
  for (auto& word : words) {
    const auto space = std::min(rest.find(' '), rest.size());
    word = rest.substr(0, space);
    rest.remove_prefix(std::min(space + 1, rest.size()));
  }
  return StepLayoutText{std::string(fields[1]), std::string(fields[2]), std::string(words[0]),
                        std::move(*components), std::string(words[1]),  std::string(words[2])};
}

}  // namespace muster::wire
