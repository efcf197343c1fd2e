#include "launcher/supervise/srun_environment.hpp"

#include "core/profile/profile.hpp"
#include "core/text/quote.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <cstdlib>

namespace muster::supervise {
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

// From within a task: what muster set for that task is not what its user exported.
std::vector<std::string> inherited_from_task(const Environment& environment) {
  const auto inherited = environment.find(wire::set_variable);
  if (inherited == environment.end()) return {};
  auto names = words(inherited->second);
  for (const auto* const own :
       {wire::set_variable, wire::planned_variable, wire::numbering_variable, wire::task_variable,
        wire::exchange_variable, wire::exchange_key_variable, wire::times_variable}) {
    names.emplace_back(own);
  }
  return names;
}

}  // namespace

EnvironmentChange srun_environment(const Environment& environment, const step::Attempt& attempt,
                                   bool has_pmix) {
  EnvironmentChange change;
  change.set.emplace_back(wire::request_variable, to_json(attempt));
  if (has_pmix && !environment.contains("SLURM_MPI_TYPE")) {
    change.set.emplace_back("SLURM_MPI_TYPE", "pmix");
  }
  change.unset = inherited_from_task(environment);
  return change;
}

EnvironmentChange environment_of_child(const Environment& environment,
                                       const step::Attempt& attempt) {
  EnvironmentChange change{.set = {}, .unset = inherited_from_task(environment)};
  change.set.emplace_back(wire::request_variable, to_json(attempt));
  return change;
}

EnvironmentChange placeholders_for_nodes(const Environment& environment,
                                         const profile::Profile& profile) {
  EnvironmentChange change;
  for (const auto& variable : profile.environment) {
    if (!variable.value.identity() || environment.contains(variable.name)) continue;
    // srun takes its own options from these: SLURM_NTASKS_PER_NODE.
    if (variable.name.starts_with("SLURM_")) continue;
    change.set.emplace_back(variable.name, step::missing_plugin);
  }
  return change;
}

bool chose_mpi(const Environment& environment, const std::vector<std::string>& srun_options) {
  return environment.contains("SLURM_MPI_TYPE") ||
         std::any_of(srun_options.begin(), srun_options.end(), [](const auto& word) {
           return word == "--mpi" || word.starts_with("--mpi=");
         });
}

std::string hint(const std::vector<std::string>& srun_options) {
  constexpr std::string_view with_value = "--hint=";
  constexpr std::size_t max_bytes = 256;
  std::string found;
  for (std::size_t i = 0; i < srun_options.size(); ++i) {
    const auto& word = srun_options[i];
    if (word == "--hint" && i + 1 < srun_options.size()) found = srun_options[i + 1];
    if (word.starts_with(with_value)) found = word.substr(with_value.size());
  }
  found.resize(std::min(found.size(), max_bytes));
  return text::is_utf8(found) ? found : "";  // it travels as JSON
}

void apply(const EnvironmentChange& change) {
  // Single-threaded: no thread has been started yet.
  for (const auto& name : change.unset) unsetenv(name.c_str());
  for (const auto& [name, value] : change.set) setenv(name.c_str(), value.c_str(), 1);
}

}  // namespace muster::supervise
