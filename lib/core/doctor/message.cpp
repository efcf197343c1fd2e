#include "core/doctor/message.hpp"

#include "core/text/list.hpp"
#include "core/text/quote.hpp"

namespace muster::doctor {
namespace {

constexpr std::string_view prefix = "muster-doctor ";
constexpr std::string_view last = "done";

}  // namespace

std::string to_lines(const std::string& node, const Facts& facts) {
  std::string lines;
  for (const auto& [name, value] : facts.all()) {
    lines.append(prefix).append(node).append(" ").append(name).append("=").append(value) += '\n';
  }
  return lines.append(prefix).append(node).append(" ").append(last) + '\n';
}

Answers read_answers(std::string_view output) {
  Answers answers;
  std::map<std::string, Facts, std::less<>> begun;
  for (auto line : text::split(output, '\n')) {
    if (!line.starts_with(prefix)) {
      if (answers.other_line.empty())
        answers.other_line = text::printable_path(line.substr(0, max_fact_bytes));
      continue;
    }
    line.remove_prefix(prefix.size());
    const auto space = line.find(' ');
    if (space == std::string_view::npos || begun.size() >= max_nodes) continue;
    const std::string node(line.substr(0, space));
    line.remove_prefix(space + 1);
    const auto equals = line.find('=');
    if (equals != std::string_view::npos)
      begun[node].set(line.substr(0, equals), line.substr(equals + 1));
    if (line == last) answers.nodes[node] = begun[node];
  }
  return answers;
}

}  // namespace muster::doctor
