#include "core/doctor/message.hpp"

#include "core/slurm/node_answers.hpp"
#include "core/text/quote.hpp"

#include <cstdint>

namespace muster::doctor {
namespace {

constexpr std::string_view done = "done";
constexpr std::size_t max_name_bytes = 400;

}  // namespace

std::string to_lines(const std::string& node, const Facts& facts) {
  std::string lines;
  std::uint32_t number = 0;
  for (const auto& [name, value] : facts.all())
    lines += slurm::answer_lines(node, number++, name + '=' + value);
  return lines + slurm::answer_lines(node, number, done);
}

Answers read_answers(std::string_view output) {
  Answers answers;
  std::map<std::string, Facts> begun;
  const auto take = [&](const std::string& node, std::string_view text) {
    const auto equals = text.find('=');
    if (equals != std::string_view::npos)
      begun[node].set(text.substr(0, equals), text.substr(equals + 1));
    if (text == done) answers.nodes[node] = begun[node];
  };
  const auto other = slurm::read_node_answers(output, max_name_bytes + 1 + max_fact_bytes, take);
  answers.other_line = text::printable_path(other.substr(0, max_fact_bytes));
  return answers;
}

}  // namespace muster::doctor
