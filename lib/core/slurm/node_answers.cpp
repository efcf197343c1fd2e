#include "core/slurm/node_answers.hpp"

#include "core/text/list.hpp"
#include "core/text/number.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace muster::slurm {
namespace {

constexpr std::string_view answer_head = "muster-node ";
constexpr std::string_view more = "more";
constexpr std::string_view last = "last";
constexpr std::size_t max_answering_nodes = 65536;

// An answer that is not yet complete.
struct Begun {
  std::uint32_t number = 0;
  std::string text = {};
  bool too_long = false;
};

// Up to the next space, which is removed as well.
std::string_view take_word(std::string_view& line) {
  const auto word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(word.size() + 1, line.size()));
  return word;
}

}  // namespace

std::string answer_lines(const std::string& node, std::uint32_t number, std::string_view text) {
  std::string lines;
  do {
    const auto head = fmt::format("{}{} {} ", answer_head, node, number);
    const auto room = max_answer_line_bytes - head.size() - more.size() - 2;
    const auto part = text.substr(0, room);
    text.remove_prefix(part.size());
    lines += fmt::format("{}{} {}\n", head, text.empty() ? last : more, part);
  } while (!text.empty());
  return lines;
}

std::string_view read_node_answers(
    std::string_view output, std::size_t max_bytes,
    const std::function<void(const std::string& node, std::string_view text)>& take) {
  std::map<std::string, Begun> nodes;
  std::string_view other_line;
  for (auto line : text::split(output, '\n')) {
    if (!line.starts_with(answer_head)) {
      if (other_line.empty()) other_line = line;
      continue;
    }
    line.remove_prefix(answer_head.size());
    const std::string node(take_word(line));
    const auto number = text::number<std::uint32_t>(take_word(line));
    const auto which = take_word(line);
    if (node.empty() || node.size() > max_node_name_bytes || !number ||
        (which != more && which != last) ||
        (!nodes.contains(node) && nodes.size() >= max_answering_nodes)) {
      continue;
    }
    auto& begun = nodes[node];
    if (begun.number != *number) begun = {.number = *number};
    begun.too_long |= begun.text.size() + line.size() > max_bytes;
    if (begun.too_long) {
      begun.text.clear();
      continue;
    }
    begun.text += line;
    if (which == last) take(node, std::exchange(begun.text, {}));
  }
  return other_line;
}

std::string_view line_of_srun(std::string_view output) {
  return read_node_answers(output, 0, [](const std::string&, std::string_view) {});
}

}  // namespace muster::slurm
