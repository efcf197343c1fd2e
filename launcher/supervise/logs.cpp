#include "launcher/supervise/logs.hpp"

#include "core/error.hpp"
#include "core/logs/names.hpp"
#include "launcher/supervise/remarks.hpp"

#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace muster::supervise {
namespace {

// Of the last such option; a value that is its own word follows.
std::optional<std::string> value_of(const SrunCommand& command, char letter,
                                    std::string_view name) {
  const auto options = command.options();
  std::optional<std::string> value;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string_view word = options[i];
    const bool is_short = word.size() > 1 && word[0] == '-' && word[1] == letter;
    if (word == name || (is_short && word.size() == 2)) {
      if (i + 1 < options.size()) value = options[i + 1];
    } else if (is_short) {
      value = word.substr(2);
    } else if (word.starts_with(name) && word[name.size()] == '=') {
      value = word.substr(name.size() + 1);
    }
  }
  return value;
}

struct Elsewhere {
  char letter;
  std::string_view option;
  const char* variable;
};
constexpr std::array elsewhere{Elsewhere{'o', "--output", "SLURM_STDOUTMODE"},
                               Elsewhere{'e', "--error", "SLURM_STDERRMODE"}};

}  // namespace

void check_logs(const request::Request& request, const SrunCommand& command,
                const Environment& environment) {
  if (!request.logs) return;
  static_cast<void>(logs::directory(*request.logs, {.step = "0.0"}));
  if (is_interactive(command)) {
    throw Error(
        "logs= puts the output into files, and --pty puts it on the terminal; leave one of them "
        "out");
  }
  for (const auto& [letter, option, variable] : elsewhere) {
    const bool asked = value_of(command, letter, option).has_value();
    if (!asked && !environment.contains(variable)) continue;
    throw Error(
        fmt::format("logs= and srun's {} both say where the output goes; leave one of them out",
                    asked ? option : std::string_view(variable)));
  }
}

}  // namespace muster::supervise
