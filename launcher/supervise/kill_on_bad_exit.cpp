#include "launcher/supervise/kill_on_bad_exit.hpp"

#include <string_view>

namespace muster::supervise {
namespace {

// Alone it means 1; srun takes any other number than 0 for 1, too.
bool is_on(std::string_view value) {
  return value != "0";
}

// getopt_long takes an abbreviation of a long option's name while no other begins the same.
bool is_long_option(std::string_view name) {
  constexpr std::string_view full = "--kill-on-bad-exit";
  constexpr std::size_t unambiguous = 3;  // "--k"
  return name.size() >= unambiguous && full.starts_with(name);
}

std::optional<bool> option(std::string_view word) {
  if (word.starts_with("-K")) return is_on(word.substr(2));
  const auto equals = word.find('=');
  if (!is_long_option(word.substr(0, equals))) return std::nullopt;
  return equals == std::string_view::npos || is_on(word.substr(equals + 1));
}

}  // namespace

std::optional<bool> chose_kill_on_bad_exit(const Environment& environment,
                                           const std::vector<std::string>& srun_options) {
  std::optional<bool> chosen;
  for (const auto& word : srun_options) {
    if (const auto found = option(word)) chosen = found;
  }
  if (chosen) return chosen;
  const auto variable = environment.find("SLURM_KILL_BAD_EXIT");
  if (variable == environment.end()) return std::nullopt;
  return is_on(variable->second);
}

srun::Command with_kill_on_bad_exit(const srun::Command& command, const Environment& environment,
                                    bool on) {
  if (command.words.empty() || chose_kill_on_bad_exit(environment, command.options())) {
    return command;
  }
  auto chosen = command;
  chosen.words.insert(chosen.words.begin() + 1,
                      on ? "--kill-on-bad-exit=1" : "--kill-on-bad-exit=0");
  if (chosen.program != 0) ++chosen.program;
  return chosen;
}

}  // namespace muster::supervise
