#include "core/srun/components.hpp"

#include "core/srun/line.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace muster::srun {
namespace {

// A component without one of them gets that of the first component that has it.
constexpr std::array<std::string_view, 2> of_all{"distributed", "jobid"};

Command component(const Command& command, const Line& line, std::size_t end) {
  Command own{{command.words.front()}, 0};
  own.words.insert(own.words.end(), command.words.begin() + static_cast<std::ptrdiff_t>(line.begin),
                   command.words.begin() + static_cast<std::ptrdiff_t>(end));
  if (line.program < end) own.program = line.program - line.begin + 1;
  return own;
}

void add_option(Command& command, const std::vector<std::string>& words) {
  command.words.insert(command.words.begin() + 1, words.begin(), words.end());
  if (command.program != 0) command.program += words.size();
}

}  // namespace

bool has_components(const Command& command) {
  return read_components(command).size() > 1;
}

std::vector<Command> component_commands(const Command& command) {
  const auto lines = read_components(command);
  std::vector<Command> commands;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto end = i + 1 < lines.size() ? lines[i + 1].begin - 1 : command.words.size();
    auto& own = commands.emplace_back(component(command, lines[i], end));
    for (const auto name : of_all) {
      const auto has_it = [name](const Line& line) { return line.has(name); };
      const auto first = std::ranges::find_if(lines, has_it);
      if (first != lines.end() && !has_it(lines[i])) add_option(own, first->last(name)->words);
    }
  }
  return commands;
}

}  // namespace muster::srun
