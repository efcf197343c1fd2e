#include "launcher/supervise/remarks.hpp"

#include "launcher/os/output.hpp"

#include <algorithm>
#include <string_view>

namespace muster::supervise {
namespace {

bool is_quiet_option(std::string_view word) {
  constexpr std::string_view letters_without_value = "EHIKQXklOsuv";
  constexpr std::string_view shortest = "--quie";  // --qui could be --quit-on-interrupt
  if (word.starts_with("--")) {
    return word.starts_with(shortest) && std::string_view("--quiet").starts_with(word);
  }
  if (!word.starts_with('-')) return false;
  return word.substr(0, word.find_first_not_of(letters_without_value, 1)).find('Q') != word.npos;
}

}  // namespace

bool is_quiet(const srun::Command& command) {
  const auto options = command.options();
  return command.program != 0 && std::ranges::any_of(options, is_quiet_option);
}

bool is_interactive(const srun::Command& command) {
  const auto options = command.options();
  return command.program != 0 && std::ranges::any_of(options, [](std::string_view word) {
           return word == "--pt" || word == "--pty" || word.starts_with("--pty=");
         });
}

void remark(const srun::Command& command, const std::string& line) {
  if (line.empty() || is_quiet(command)) return;
  os::say(os::Severity::warning, line);
}

}  // namespace muster::supervise
