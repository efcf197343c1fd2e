#include "core/slurm/steps.hpp"

#include "core/slurm/fields.hpp"
#include "core/text/list.hpp"

#include <algorithm>

namespace muster::slurm {

std::vector<ShownStep> steps_from_text(std::string_view text, std::string_view job,
                                       std::string_view task) {
  std::vector<ShownStep> steps;
  for (const auto line : text::split(text, '\n')) {
    const auto id = field(line, "StepId");
    const auto dot = std::min(id.find('.'), id.size());
    const auto owner = id.substr(0, dot);
    if (dot == id.size() || (owner != job && owner != task)) continue;
    steps.push_back(
        {std::string(job) + std::string(id.substr(dot)), std::string(field(line, "Name"))});
  }
  return steps;
}

}  // namespace muster::slurm
