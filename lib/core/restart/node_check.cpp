#include "core/restart/node_check.hpp"

#include "core/record/record.hpp"
#include "core/slurm/node_answers.hpp"

#include <utility>

namespace muster::restart {
std::string to_line(const NodeCheck& check) {
  return slurm::answer_lines(check.node, 0, record::write(check));
}

std::vector<NodeCheck> node_checks_in(std::string_view text) {
  std::vector<NodeCheck> checks;
  const auto take = [&checks](const std::string& node, std::string_view answer) {
    auto check = record::read<NodeCheck>(answer);
    if (check && check->node == node) checks.push_back(std::move(*check));
  };
  slurm::read_node_answers(text, max_check_line_bytes, take);
  return checks;
}

}  // namespace muster::restart
