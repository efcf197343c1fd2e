#include "core/srun/open_mode.hpp"

#include "core/srun/het_step.hpp"
#include "core/srun/line.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace muster::srun {
namespace {

constexpr const char* option = "--open-mode=append";

bool chose_mode(const Command& command, const Environment& environment) {
  return setting(read_line(command), environment, "open-mode").has_value();
}

}  // namespace

Command appending(Command command, const Environment& environment) {
  if (command.words.empty() || chose_mode(command, environment)) return command;
  // srun reads the options of a heterogeneous step's components one after the other.
  if (heterogeneous(command)) {
    for (auto at = command.words.size(); at-- > 1;) {
      if (command.words[at] != ":") continue;
      command.words.insert(command.words.begin() + static_cast<std::ptrdiff_t>(at) + 1, option);
    }
  }
  command.words.insert(command.words.begin() + 1, option);
  if (command.program > 0) ++command.program;
  return command;
}

}  // namespace muster::srun
