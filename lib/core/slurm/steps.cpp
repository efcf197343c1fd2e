#include "core/slurm/steps.hpp"

#include "core/slurm/fields.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"

#include <algorithm>
#include <cstdint>

namespace muster::slurm {

bool is_numbered(std::string_view step) {
  const auto dot = step.find('.');
  return dot != std::string_view::npos && text::number<std::uint32_t>(step.substr(dot + 1));
}

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
