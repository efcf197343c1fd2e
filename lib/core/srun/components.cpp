#include "core/srun/components.hpp"

#include "core/srun/line.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace muster::srun {
namespace {

constexpr std::string_view own_option = "distributed";

Command component(const Command& command, const Line& line, std::size_t end) {
  Command own{{command.words.front()}, 0};
  own.words.insert(own.words.end(), command.words.begin() + static_cast<std::ptrdiff_t>(line.begin),
                   command.words.begin() + static_cast<std::ptrdiff_t>(end));
  if (line.program < end) own.program = line.program - line.begin + 1;
  return own;
}

}  // namespace

bool has_components(const Command& command) {
  return read_components(command).size() > 1;
}

std::vector<Command> component_commands(const Command& command) {
  const auto lines = read_components(command);
  const auto asks =
      std::ranges::find_if(lines, [](const Line& line) { return line.has(own_option); });
  std::vector<Command> commands;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto end = i + 1 < lines.size() ? lines[i + 1].begin - 1 : command.words.size();
    auto& own = commands.emplace_back(component(command, lines[i], end));
    if (asks == lines.end() || lines[i].has(own_option)) continue;
    const auto& words = asks->last(own_option)->words;
    own.words.insert(own.words.begin() + 1, words.begin(), words.end());
    if (own.program != 0) own.program += words.size();
  }
  return commands;
}

}  // namespace muster::srun
