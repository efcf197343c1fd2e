#include "core/srun/kill_on_bad_exit.hpp"

#include "core/srun/line.hpp"

#include <string_view>

namespace muster::srun {
namespace {

// Without a value, the option means 1; srun treats any number other than 0 as 1.
bool is_on(std::string_view value) {
  return value != "0";
}

}  // namespace

std::optional<bool> chose_kill_on_bad_exit(const Environment& environment, const Command& command) {
  const auto chosen = setting(read_step(command), environment, "kill-on-bad-exit");
  return chosen ? std::optional(is_on(*chosen)) : std::nullopt;
}

Command with_kill_on_bad_exit(const Command& command, const Environment& environment, bool on) {
  if (command.words.empty() || chose_kill_on_bad_exit(environment, command)) {
    return command;
  }
  auto chosen = command;
  chosen.words.insert(chosen.words.begin() + 1,
                      on ? "--kill-on-bad-exit=1" : "--kill-on-bad-exit=0");
  if (chosen.program != 0) ++chosen.program;
  return chosen;
}

}  // namespace muster::srun
