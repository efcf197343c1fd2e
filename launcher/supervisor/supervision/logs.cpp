#include "launcher/supervisor/supervision/logs.hpp"

#include "core/error.hpp"
#include "core/srun/job_of_line.hpp"
#include "core/srun/line.hpp"
#include "core/text/number.hpp"
#include "launcher/os/host_name.hpp"
#include "launcher/supervisor/supervision/remarks.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::supervision {
namespace {

std::string user_name() {
  constexpr std::size_t max_bytes = 16384;
  std::array<char, max_bytes> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found);
  return found == nullptr ? fmt::to_string(geteuid()) : std::string(found->pw_name);
}

std::string job_name(const srun::Command& command, const Environment& environment) {
  const auto line = read_step(command);
  if (const auto* const option = line.last("job-name")) return option->value.value_or("");
  for (const auto* const name : {"SLURM_JOB_NAME", "SBATCH_JOB_NAME"}) {
    if (const auto& value = environment.get(name); !value.empty()) return value;
  }
  if (command.program == 0 || command.program >= command.words.size()) return "";
  return std::filesystem::path(command.words[command.program]).filename();
}

// The option or the variable that sends the output elsewhere; empty if there is none.
std::string sent_by(const srun::Line& line, const Environment& environment,
                    std::string_view option) {
  if (line.has(option)) return fmt::format("--{}", option);
  return std::string(srun::chosen_variable(environment, option));
}

// What sends the output or the errors elsewhere.
std::string sent_elsewhere(const srun::Command& command, const Environment& environment) {
  const auto line = read_step(command);
  const auto output = sent_by(line, environment, "output");
  return output.empty() ? sent_by(line, environment, "error") : output;
}

bool is_pipe(int descriptor) {
  struct stat found {};
  return fstat(descriptor, &found) == 0 && S_ISFIFO(found.st_mode);
}

}  // namespace

logs::AttemptName name_of_run(const srun::Command& command, const Environment& environment) {
  const auto host = os::host_name();
  const auto runs = text::number<std::uint32_t>(environment.get("SLURM_RESTART_COUNT"));
  // If srun joins another job, these variables name a task of the wrong array.
  const bool has_array = !srun::joins_other_job(command, environment);
  return {.step = {},
          .attempt = 0,
          .slurm_restarts = runs.value_or(0),
          .job = {.number = srun::job_of_line(command, environment),
                  .array = has_array ? environment.get("SLURM_ARRAY_JOB_ID") : "",
                  .array_task = has_array ? environment.get("SLURM_ARRAY_TASK_ID") : "",
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
  const auto elsewhere = sent_elsewhere(command, environment);
  if (elsewhere.empty()) return;
  throw Error(fmt::format(
      "logs= and srun's {} both say where the output goes; leave one of them out", elsewhere));
}

request::StepStreams streams_of(const srun::Command& command, const Environment& environment) {
  return {.interactive = is_interactive(command),
          .elsewhere = sent_elsewhere(command, environment),
          .piped = is_pipe(STDOUT_FILENO)};
}

}  // namespace muster::supervision
