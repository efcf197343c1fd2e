#include "core/remark/launchers.hpp"

#include "core/contains.hpp"
#include "core/remark/training_tools.hpp"
#include "core/remark/wrapped.hpp"
#include "core/text/base_name.hpp"
#include "core/text/quote.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace muster::remark {
namespace {

struct Module {
  std::string_view name;
  std::string_view launcher;
};

constexpr std::array modules{
    Module{"torch.distributed.run", "torchrun"},
    Module{"torch.distributed.launch", "torchrun"},
    Module{"accelerate.commands.launch", "accelerate launch"},
    Module{"deepspeed.launcher.runner", "deepspeed"},
    Module{"horovod.runner.launch", "horovodrun"},
    Module{"lightning.fabric.cli", "fabric run"},
    Module{"lightning_fabric.cli", "fabric run"},
};
struct WithAWord {
  std::string_view command;
  std::string_view word;
};

// These commands start nothing unless this word follows.
constexpr std::array with_a_word{WithAWord{"accelerate", "launch"}, WithAWord{"fabric", "run"},
                                 WithAWord{"lightning", "run"}, WithAWord{"colossalai", "run"}};
constexpr std::array<std::string_view, 4> launchers{"torchrun", "deepspeed", "horovodrun",
                                                    "composer"};

struct Daemon {
  std::string_view name;
  std::string_view launcher;
};

constexpr std::array daemons{
    Daemon{"orted", "mpirun"},               // Open MPI up to version 4
    Daemon{"prted", "mpirun"},               // Open MPI since version 5, PRRTE
    Daemon{"hydra_bstrap_proxy", "mpirun"},  // Intel MPI since 2019
    Daemon{"pmi_proxy", "mpirun"},           // Intel MPI before 2019
    Daemon{"hydra_pmi_proxy", "mpiexec"},    // MPICH, MVAPICH
    Daemon{"mpispawn", "mpirun_rsh"},        // MVAPICH
};

// Words that occur in a Python file that may start ranks itself.
constexpr std::array<std::string_view, 11> starting{"torchrun",
                                                    "torch.distributed.run",
                                                    "torch.distributed.launch",
                                                    "elastic_launch",
                                                    "subprocess",
                                                    "os.exec",
                                                    "os.system",
                                                    "spawn(",
                                                    "Process(",
                                                    "submitit",
                                                    "srun"};
// Words that occur in a Python file that uses variables set by a launcher.
constexpr std::array<std::string_view, 3> joining{"init_process_group", "\"RANK\"", "'RANK'"};

// python, python3, python3.11
bool is_python(std::string_view path) {
  const auto name = text::base_name(path);
  constexpr std::string_view python = "python";
  return name.starts_with(python) &&
         name.find_first_not_of("0123456789.", python.size()) == std::string_view::npos;
}

// The words after Python's own options. The first is -m MODULE, -c TEXT or a file.
Words behind_options(Words python) {
  constexpr std::array<std::string_view, 2> with_value{"-W", "-X"};
  auto rest = python.subspan(1);
  while (!rest.empty() && rest.front().starts_with('-') && rest.front() != "-" &&
         !rest.front().starts_with("-m") && !rest.front().starts_with("-c")) {
    const bool takes_next = contains(with_value, rest.front());
    rest = rest.subspan(std::min<std::size_t>(takes_next ? 2 : 1, rest.size()));
  }
  return rest;
}

std::string launcher_of_module(std::string_view name) {
  const auto found = std::ranges::find(modules, name, &Module::name);
  return found == modules.end() ? std::string() : std::string(found->launcher);
}

bool contains_any(std::string_view text, const auto& words) {
  return std::ranges::any_of(words,
                             [&](auto word) { return text.find(word) != std::string_view::npos; });
}

std::string in_tasks(const profile::Profile& profile, const Command& command,
                     const Environment& environment) {
  const auto launcher = launcher_of(command);
  const auto tool = training_tool_of(command, environment);
  if (launcher.empty() && !tool) return {};
  return fmt::format(
      "{0} starts ranks itself, and it would do so in every task; {1}, because profile {2} makes each task a "
      "rank{3}",
      tool ? tool->name : launcher, tool ? tool->remedy : "leave it out", profile.name,
      launcher == "torchrun" ? ", or use profile torchrun with --ntasks-per-node=1" : "");
}

}  // namespace

std::string launcher_of(Words program) {
  if (program.empty()) return {};
  const auto name = text::base_name(program[0]);
  if (contains(launchers, name)) return std::string(name);
  if (name == "accelerate-launch") return "accelerate launch";
  const auto second = program.size() > 1 ? std::string_view(program[1]) : std::string_view();
  for (const auto& [command, word] : with_a_word) {
    if (name == command && second == word) return fmt::format("{} {}", command, word);
  }
  if (!is_python(name)) return {};
  const auto rest = behind_options(program);
  return rest.size() > 1 && rest[0] == "-m" ? launcher_of_module(rest[1]) : std::string();
}

std::string mpi_launcher_of(Words program) {
  if (program.empty()) return {};
  const auto found = std::ranges::find(daemons, text::base_name(program[0]), &Daemon::name);
  return found == daemons.end() ? std::string() : std::string(found->launcher);
}

std::optional<std::string> python_file_of(Words program) {
  if (program.empty()) return std::nullopt;
  if (program[0].ends_with(".py")) return program[0];
  if (!is_python(program[0])) return std::nullopt;
  const auto rest = behind_options(program);
  if (rest.empty() || !rest[0].ends_with(".py")) return std::nullopt;
  return rest[0];
}

bool numbers_ranks(const profile::Profile& profile) {
  return std::ranges::any_of(profile.environment,
                             [](const auto& variable) { return variable.value.identity(); });
}

bool joins_ranks(std::string_view text) {
  return contains_any(text, joining) && !contains_any(text, starting);
}

std::string launcher_in_tasks(const profile::Profile& profile, Words program,
                              const Environment& environment) {
  if (profile.mode != profile::Mode::rank || !numbers_ranks(profile)) return {};
  for (const auto& command : commands_in(program)) {
    if (auto line = in_tasks(profile, command, environment); !line.empty()) return line;
  }
  return {};
}

std::string run_in_tasks(Words program) {
  if (program.size() < 2 || text::base_name(program[0]) != "muster" || program[1] != "run")
    return {};
  return "muster run starts all ranks itself, and every task of this srun would start a run of "
         "its own; use muster run without srun, or give the script to srun in place of muster run";
}

std::string script_without_launcher(const profile::Profile& profile, Words program,
                                    std::string_view text) {
  if (profile.mode != profile::Mode::agent || !launcher_of(program).empty()) return {};
  const auto file = python_file_of(program);
  if (!file || !joins_ranks(text)) return {};
  return fmt::format(
      "profile {0} leaves RANK to torchrun, but this command does not start torchrun; did you mean "
      "--distributed=torch, or torchrun {1}?",
      profile.name, text::printable_path(*file));
}

}  // namespace muster::remark
