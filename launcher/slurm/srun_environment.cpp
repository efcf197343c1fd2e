#include "launcher/slurm/srun_environment.hpp"

#include "core/profile/profile.hpp"
#include "core/srun/chosen_binding.hpp"
#include "core/srun/line.hpp"
#include "launcher/site/installed.hpp"
#include "wire/python_path.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace muster::slurm {
namespace {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found;
  while (!text.empty()) {
    const auto space = std::min(text.find(' '), text.size());
    if (space > 0) found.emplace_back(text.substr(0, space));
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return found;
}

// An srun within a task inherits variables that muster set for that task; its user did not export them.
std::vector<std::string> inherited_from_task(const Environment& environment) {
  const auto* const inherited = environment.if_set(wire::set_variable);
  if (inherited == nullptr) return {};
  auto names = words(*inherited);
  for (const auto* const own :
       {wire::set_variable, wire::planned_variable, wire::numbering_variable, wire::task_variable,
        wire::exchange_variable, wire::exchange_key_variable, wire::times_variable,
        wire::rank_directory_variable}) {
    names.emplace_back(own);
  }
  return names;
}

// Likewise, unless the start hook of the task's Python has already restored PYTHONPATH.
void restore_python_path(EnvironmentChange& change, const Environment& environment) {
  const auto* const inherited = environment.if_set(wire::python_path_variable);
  if (inherited == nullptr) return;
  auto own = wire::without_start_hook(*inherited, site::installed_start_hook());
  if (!own) {
    change.unset.emplace_back(wire::python_path_variable);
  } else if (*own != *inherited) {
    change.set.emplace_back(wire::python_path_variable, std::move(*own));
  }
}

}  // namespace

EnvironmentChange srun_environment(const Environment& environment, const step::StepRequest& attempt,
                                   bool has_pmix) {
  EnvironmentChange change;
  change.set.emplace_back(wire::request_variable, to_text(attempt));
  change.unset = inherited_from_task(environment);
  if (!environment.contains("SLURM_MPI_TYPE")) {
    if (has_pmix) change.set.emplace_back("SLURM_MPI_TYPE", "pmix");
    if (!has_pmix)
      change.unset.emplace_back("SLURM_MPI_TYPE");  // an earlier attempt may have set it
  }
  std::ranges::move(srun::inherited_binding(environment), std::back_inserter(change.unset));
  restore_python_path(change, environment);
  return change;
}

EnvironmentChange environment_of_child(const Environment& environment,
                                       const step::StepRequest& attempt) {
  EnvironmentChange change{.set = {}, .unset = inherited_from_task(environment)};
  change.set.emplace_back(wire::request_variable, to_text(attempt));
  restore_python_path(change, environment);
  return change;
}

EnvironmentChange placeholders_for_nodes(const Environment& environment,
                                         const profile::Profile& profile) {
  EnvironmentChange change;
  for (const auto& variable : profile.environment) {
    if (!variable.value.identity() || environment.contains(variable.name)) continue;
    // srun reads its own options from these, such as SLURM_NTASKS_PER_NODE.
    if (variable.name.starts_with("SLURM_")) continue;
    change.set.emplace_back(variable.name, step::missing_plugin);
  }
  return change;
}

bool chose_mpi(const Environment& environment, const srun::Command& command) {
  return setting(read_step(command), environment, "mpi").has_value();
}

std::string hint(const srun::Command& command) {
  constexpr std::size_t max_bytes = 256;
  const auto line = read_step(command);
  const auto* const option = line.last("hint");
  if (option == nullptr) return {};
  auto value = option->value.value_or("");
  value.resize(std::min(value.size(), max_bytes));
  return value;
}

void apply(const EnvironmentChange& change) {
  // Single-threaded: no thread has been started yet.
  for (const auto& name : change.unset) unsetenv(name.c_str());
  for (const auto& [name, value] : change.set) setenv(name.c_str(), value.c_str(), 1);
}

}  // namespace muster::slurm
