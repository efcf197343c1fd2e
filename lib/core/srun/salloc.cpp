#include "core/srun/salloc.hpp"

#include "core/contains.hpp"
#include "core/srun/line.hpp"
#include "core/srun/options.hpp"
#include "core/srun/spare_nodes.hpp"
#include "core/text/base_name.hpp"

#include <string_view>

#include <fmt/format.h>

namespace muster::srun {
namespace {

constexpr std::string_view component_separator = ":";

// salloc refuses a distribution that leaves a node without a task; srun spreads the tasks over all nodes.
bool is_plane(const Option& option) {
  return option.name == "distribution" && option.value && option.value->starts_with("plane");
}

// salloc has another plugin's option if that plugin registers it for salloc as well.
bool is_for_salloc(const SallocOptions& known, std::string_view name) {
  const auto* const info = find_option(name);
  if (info != nullptr && info->salloc != Salloc::listed) {
    return info->salloc == Salloc::unlisted;
  }
  return name != "distributed" && contains(known.names, name);
}

// In the one form that works whether or not salloc requires a value. An option of another plugin is kept as
// it was given.
void append(std::vector<std::string>& words, const Option& option) {
  if (find_option(option.name) == nullptr) {
    words.insert(words.end(), option.words.begin(), option.words.end());
    return;
  }
  words.push_back("--" + option.name + (option.value ? '=' + *option.value : ""));
}

// The options of one component. srun names its job after the program.
void append(std::vector<std::string>& words, const SallocOptions& known, const Command& srun,
            const Line& line) {
  if (line.program < srun.words.size() && srun.words[line.program] != component_separator) {
    words.push_back(fmt::format("--job-name={}", text::base_name(srun.words[line.program])));
  }
  for (const auto& option : line.options) {
    if (is_for_salloc(known, option.name) && !is_plane(option)) append(words, option);
  }
}

std::vector<std::string> without_sallocs_variables(const Environment& environment) {
  std::vector<std::string> words;
  for (const auto& [name, value] : environment) {
    if (!name.starts_with("SALLOC_")) continue;
    if (words.empty()) words.emplace_back("env");
    words.insert(words.end(), {"-u", name});
  }
  return words;
}

}  // namespace

SallocOptions salloc_options(std::string_view help) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789-_";
  SallocOptions options;
  for (auto at = help.find(" --"); at != std::string_view::npos; at = help.find(" --", at + 1)) {
    const auto rest = help.substr(at + 3);
    const auto name = rest.substr(0, rest.find_first_not_of(letters));
    if (!name.empty() && !contains(options.names, name)) options.names.emplace_back(name);
  }
  return options;
}

std::string salloc_beside(const std::string& srun) {
  return srun.substr(0, srun.rfind('/') + 1) + "salloc";
}

std::vector<std::string> salloc_command(const SallocOptions& known, const Command& srun,
                                        const Environment& environment, std::uint32_t spares,
                                        const std::vector<std::string>& supervisor) {
  const auto components = read_components(srun);
  const auto more = with_spares(components, environment, spares);
  auto words = without_sallocs_variables(environment);
  words.push_back(salloc_beside(srun.words.front()));
  // srun rings no bell.
  if (contains(known.names, "no-bell")) words.emplace_back("--no-bell");
  for (const auto& component : components) {
    if (component.begin > 1) words.emplace_back(":");
    append(words, known, srun, with_variables(component, environment));
  }
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), supervisor.begin(), supervisor.end());
  return words;
}

}  // namespace muster::srun
