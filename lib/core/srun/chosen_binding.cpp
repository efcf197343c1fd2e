#include "core/srun/chosen_binding.hpp"

#include "core/srun/line.hpp"
#include "core/text/list.hpp"
#include "core/text/lower_case.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace muster::srun {
namespace {

// Slurm also sets variables for the parts of the value: "quiet", "mask_cpu:" and "0x3" for
// "quiet,mask_cpu:0x3". srun reads only the value, so the parts show that Slurm has written it for a task.
struct BindVariables {
  std::string_view value;
  std::vector<std::string_view> words;  // separated by commas in the value
  std::string_view list;                // directly after the last word
};

std::array<BindVariables, 2> variables_of_a_task() {
  return {{{.value = "SLURM_CPU_BIND",
            .words = {"SLURM_CPU_BIND_VERBOSE", "SLURM_CPU_BIND_TYPE"},
            .list = "SLURM_CPU_BIND_LIST"},
           {.value = "SLURM_MEM_BIND",
            .words = {"SLURM_MEM_BIND_VERBOSE", "SLURM_MEM_BIND_PREFER", "SLURM_MEM_BIND_TYPE"},
            .list = "SLURM_MEM_BIND_LIST"}}};
}

std::string value_of_a_task(const Environment& environment, const BindVariables& variables) {
  std::string value;
  for (const auto name : variables.words) {
    const auto& word = environment.get(name);
    if (!value.empty() && !word.empty()) value += ',';
    value += word;
  }
  return value + environment.get(variables.list);
}

bool names_no_cpus(std::string_view word) {
  constexpr std::array<std::string_view, 5> only_output{"", "q", "quiet", "v", "verbose"};
  return std::ranges::find(only_output, text::in_lower_case(word)) != only_output.end();
}

}  // namespace

std::vector<std::string> inherited_binding(const Environment& environment) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    if (environment.contains(name)) names.emplace_back(name);
  };
  for (const auto& variables : variables_of_a_task()) {
    const auto by_slurm = value_of_a_task(environment, variables);
    if (!by_slurm.empty() && environment.get(variables.value) == by_slurm) add(variables.value);
    for (const auto word : variables.words) add(word);
    add(variables.list);
  }
  return names;
}

bool chose_cpu_bind(const Environment& environment, const Command& command) {
  const auto line = read_step(command);
  // srun ignores the variable if its line has a hint.
  auto own = line.has("hint") ? Environment{} : environment;
  for (const auto& name : inherited_binding(environment)) own.unset(name);
  const auto chosen = setting(line, own, "cpu-bind");
  return chosen && !std::ranges::all_of(text::split(*chosen, ','), names_no_cpus);
}

}  // namespace muster::srun
