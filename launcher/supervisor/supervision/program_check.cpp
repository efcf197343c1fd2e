#include "launcher/supervisor/supervision/program_check.hpp"

#include "core/remark/stray_value.hpp"
#include "core/srun/het_step.hpp"
#include "core/srun/line.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/executable.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::supervision {
namespace {

constexpr const char* here = ".";

// Options that copy the program first, and the container options of Slurm and of other plugins.
bool moves_program(const srun::Line& line) {
  return line.has_any({"multi-prog", "chdir", "bcast"}) ||
         std::ranges::any_of(
             line.options, [](const auto& option) { return option.name.starts_with("container"); });
}

// pyxis takes an image from these variables as well as from its options.
bool names_image(const Environment& environment) {
  return environment.contains("PYXIS_CONTAINER_IMAGE") ||
         environment.contains("PYXIS_CONTAINER_NAME");
}

bool is_moved(const srun::Command& command, const Environment& environment) {
  return command.program == 0 || srun::heterogeneous(command) || names_image(environment) ||
         moves_program(with_variables(read_line(command), environment));
}

// Slurm passes a plugin's option of sbatch to the job as (SLURM_SPANK_)_SLURM_SPANK_OPTION_ followed by the
// names of the plugin and of the option.
bool is_of_another_plugin(std::string_view variable) {
  constexpr std::string_view prefix = "SLURM_SPANK_";
  constexpr std::string_view option = "_SLURM_SPANK_OPTION_";
  if (variable.starts_with(prefix)) variable.remove_prefix(prefix.size());
  return variable.starts_with(option) && !variable.ends_with("_distributed");
}

bool has_plugins_options(const srun::Command& command, const Environment& environment) {
  return !options_of_plugins(read_line(command)).empty() || names_image(environment) ||
         std::ranges::any_of(environment,
                             [](const auto& each) { return is_of_another_plugin(each.first); });
}

// The nodes may search for the program in a different PATH from this one.
bool sets_environment(const srun::Command& command, const Environment& environment) {
  return setting(read_line(command), environment, "export").has_value();
}

std::string missing_path(const std::string& path) {
  if (access(path.c_str(), F_OK) == 0 || errno != ENOENT) return {};
  return fmt::format("there is no program {} in this directory; check its path",
                     text::printable_path(path));
}

// How to start the file with that name in this directory. A directory cannot have been meant.
std::string start_of(const std::string& name, const Environment& environment) {
  const auto path = text::printable_path(name);
  const int error = os::why_not_executable(name);
  if (error == 0) return fmt::format("did you mean ./{}?", path);
  if (error != EACCES) return {};
  if (!name.ends_with(".py")) {
    return fmt::format("did you mean ./{0}? It is not executable (chmod +x {0})", path);
  }
  const auto* const python = os::on_path("python", environment, here) ? "python" : "python3";
  return fmt::format("did you mean {} {}?", python, path);
}

std::string only_here(const std::string& name, const Environment& environment) {
  if (os::on_path(name, environment, here)) return {};
  const auto start = start_of(name, environment);
  if (start.empty()) return {};
  return fmt::format("the program {} is not on PATH, but it is in this directory; {}",
                     text::printable_path(name), start);
}

// If a program has this name, that is the better explanation.
std::string meant_as_value(const srun::Command& command, const Environment& environment,
                           std::span<const std::string> profiles) {
  const auto& name = command.words[command.program];
  if (os::on_path(name, environment, here) || os::why_not_executable(name) == 0) return {};
  return remark::stray_value(command.words, command.program, profiles);
}

}  // namespace

bool program_elsewhere(const srun::Command& command, const Environment& environment) {
  return is_moved(command, environment) || has_plugins_options(command, environment);
}

ProgramFault program_fault(const srun::Command& command, const Environment& environment,
                           std::span<const std::string> profiles) {
  if (command.program == 0 || command.program >= command.words.size()) return {};
  const auto& name = command.words[command.program];
  if (name.starts_with('/') || name.empty()) return {};
  const bool is_certain = !has_plugins_options(command, environment);
  if (const auto value = meant_as_value(command, environment, profiles); !value.empty())
    return {value, is_certain};
  if (is_moved(command, environment)) return {};
  if (name.find('/') != std::string::npos) return {missing_path(name), is_certain};
  if (sets_environment(command, environment)) return {};
  return {only_here(name, environment), is_certain};
}

}  // namespace muster::supervision
