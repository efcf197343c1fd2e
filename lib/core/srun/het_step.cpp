#include "core/srun/het_step.hpp"

#include "core/srun/line.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace muster::srun {
namespace {

// The layout comes first, because srun stops reading at NONE.
std::string with_layout(std::string_view value) {
  return std::string(wire::step_variable) + ',' + std::string(value);
}

// The option unchanged, or with the layout added to its value.
std::vector<std::string> with_layout(const Option& option) {
  if (option.name != "export" || !option.value) return option.words;
  return {"--export=" + with_layout(*option.value)};
}

}  // namespace

bool heterogeneous(const Command& command) {
  const auto lines = read_components(command);
  if (lines.size() > 1) return true;
  const auto* const group = lines.front().last("het-group");
  return group != nullptr && group->value.value_or("").find_first_of(",-") != std::string::npos;
}

std::vector<std::string> export_layout(const Command& command) {
  std::vector<std::string> words;
  std::size_t copied = 0;
  const auto copy_up_to = [&](std::size_t end) {
    for (; copied < std::min(end, command.words.size()); ++copied)
      words.push_back(command.words[copied]);
  };
  for (const auto& line : read_components(command)) {
    copy_up_to(line.begin);
    for (const auto& option : line.options) {
      const auto more = with_layout(option);
      words.insert(words.end(), more.begin(), more.end());
    }
    copied = line.end;
  }
  copy_up_to(command.words.size());
  return words;
}

std::pair<std::string, std::string> export_layout_variable(const Environment& environment) {
  for (const auto* const name : {"SRUN_EXPORT_ENV", "SLURM_EXPORT_ENV"}) {
    if (const auto* const exported = environment.if_set(name))
      return {"SRUN_EXPORT_ENV", with_layout(*exported)};
  }
  return {"SRUN_EXPORT_ENV", with_layout("ALL")};
}

}  // namespace muster::srun
