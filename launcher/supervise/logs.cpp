#include "launcher/supervise/logs.hpp"

#include "core/error.hpp"
#include "core/text/number.hpp"
#include "launcher/os/host_name.hpp"
#include "launcher/supervise/remarks.hpp"

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

namespace muster::supervise {
namespace {

// Of the last such option; a value that is its own word follows.
std::optional<std::string> value_of(const srun::Command& command, char letter,
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

std::string value_of_variable(const Environment& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

std::string user_name() {
  constexpr std::size_t max_bytes = 16384;
  std::array<char, max_bytes> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found);
  return found == nullptr ? fmt::to_string(geteuid()) : std::string(found->pw_name);
}

// The last word on it, as srun has it.
std::string job_name(const srun::Command& command, const Environment& environment) {
  if (const auto option = value_of(command, 'J', "--job-name")) return *option;
  for (const auto* const name : {"SLURM_JOB_NAME", "SBATCH_JOB_NAME"}) {
    if (const auto value = value_of_variable(environment, name); !value.empty()) return value;
  }
  if (command.program == 0 || command.program >= command.words.size()) return "";
  return std::filesystem::path(command.words[command.program]).filename();
}

}  // namespace

logs::AttemptName name_of_run(const srun::Command& command, const Environment& environment) {
  const auto host = os::host_name();
  const auto runs =
      text::number<std::uint32_t>(value_of_variable(environment, "SLURM_RESTART_COUNT"));
  return {.step = {},
          .attempt = 0,
          .slurm_restarts = runs.value_or(0),
          .job = {.number = value_of_variable(environment, "SLURM_JOB_ID"),
                  .array = value_of_variable(environment, "SLURM_ARRAY_JOB_ID"),
                  .array_task = value_of_variable(environment, "SLURM_ARRAY_TASK_ID"),
                  .name = job_name(command, environment).substr(0, logs::max_job_name),
                  .user = user_name(),
                  .node = host.substr(0, host.find('.'))}};
}

void check_logs(const request::Request& request, const srun::Command& command,
                const Environment& environment) {
  if (!request.logs) return;
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
