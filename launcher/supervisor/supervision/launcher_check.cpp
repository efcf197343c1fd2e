#include "launcher/supervisor/supervision/launcher_check.hpp"

#include "core/remark/batch_script.hpp"
#include "core/remark/launchers.hpp"
#include "core/remark/stray_value.hpp"
#include "core/srun/line.hpp"
#include "launcher/os/executable.hpp"
#include "launcher/os/text_file.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>

#include <fmt/format.h>

namespace muster::supervision {
namespace {

bool is_named(const srun::Command& command, const char* name) {
  return !command.words.empty() && std::filesystem::path(command.words.front()).filename() == name;
}

bool has_program(const srun::Command& command) {
  return command.program > 0 && command.program < command.words.size();
}

// For sbatch and salloc, whose options differ from those of srun.
bool changes_directory(const srun::Command& submission) {
  const auto end = has_program(submission) ? submission.program : submission.words.size();
  const auto options = std::span(submission.words).first(end);
  return std::ranges::any_of(options, [](const auto& word) {
    return word.starts_with("--chd") || (word.starts_with("-D") && !word.starts_with("--"));
  });
}

std::optional<std::string> wrapped(const srun::Command& sbatch) {
  constexpr std::string_view option = "--wrap";
  const auto& words = sbatch.words;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == option && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with("--wrap=")) return words[i].substr(option.size() + 1);
  }
  return std::nullopt;
}

std::optional<std::string> read_text(const std::string& path) {
  return os::text_file(path);
}

}  // namespace

std::string launcher_fault(const srun::Command& srun) {
  if (!has_program(srun)) return {};
  return remark::run_in_tasks(std::span(srun.words).subspan(srun.program));
}

std::string launcher_remark(const srun::Command& srun, const profile::Profile& profile,
                            const Environment& environment) {
  if (!has_program(srun)) return {};
  const auto program = std::span(srun.words).subspan(srun.program);
  auto line = remark::launcher_in_tasks(profile, program, environment);
  if (!line.empty() || profile.mode != profile::Mode::agent || read_line(srun).has("chdir"))
    return line;
  const auto file = remark::python_file_of(program);
  const auto text = file ? os::text_file(*file) : std::nullopt;
  return text ? remark::script_without_launcher(profile, program, *text) : std::string();
}

std::string mpi_daemon_remark(const srun::Command& srun) {
  if (!has_program(srun)) return {};
  const auto launcher = remark::mpi_launcher_of(std::span(srun.words).subspan(srun.program));
  if (launcher.empty()) return {};
  return fmt::format(
      "{0} starts the ranks, so --distributed has no effect on them; use srun instead of {0}",
      launcher);
}

bool is_submission(const srun::Command& command) {
  return is_named(command, "sbatch") || is_named(command, "salloc");
}

std::string submission_remark(const srun::Command& submission, const profile::Profile& profile) {
  if (changes_directory(submission)) return {};
  if (is_named(submission, "salloc") && has_program(submission)) {
    const auto command = std::span(submission.words).subspan(submission.program);
    return remark::training_by_salloc(profile, command, read_text);
  }
  if (!is_named(submission, "sbatch")) return {};
  const auto script = has_program(submission) ? os::text_file(submission.words[submission.program])
                                              : wrapped(submission);
  return script ? remark::training_without_srun(profile, *script, read_text) : std::string();
}

std::string command_fault(const srun::Command& salloc, const Environment& environment,
                          std::span<const std::string> profiles) {
  if (!is_named(salloc, "salloc") || !has_program(salloc)) return {};
  const auto& name = salloc.words[salloc.program];
  if (os::on_path(name, environment, ".") || os::why_not_executable(name) == 0) return {};
  return remark::stray_value(salloc.words, salloc.program, profiles);
}

}  // namespace muster::supervision
