#include "launcher/agent/task_watch/binding_tools.hpp"

#include "core/text/base_name.hpp"

#include <algorithm>
#include <array>

namespace muster::task_watch {
namespace {

// These tools bind on every call.
constexpr std::array<std::string_view, 8> binders{"numactl",    "taskset",       "hwloc-bind",
                                                  "likwid-pin", "likwid-mpirun", "dplace",
                                                  "omplace",    "mpibind"};

// These tools bind only if one of their options says so.
struct Launcher {
  std::string_view name;
  std::string_view option;
  std::string_view as_said;
};
constexpr std::array<Launcher, 3> launchers{{
    {"torchrun", "--numa-binding", "torchrun --numa-binding"},
    {"torch.distributed.run", "--numa-binding", "torch.distributed.run --numa-binding"},
    {"accelerate", "--enable_cpu_affinity", "accelerate --enable_cpu_affinity"},
}};

constexpr std::string_view separators = " \t\n;|&()'\"";

std::vector<std::string_view> words_of(const std::vector<std::string>& arguments) {
  std::vector<std::string_view> words;
  for (const std::string_view argument : arguments) {
    for (std::size_t at = 0; at < argument.size();) {
      const auto end = std::min(argument.find_first_of(separators, at), argument.size());
      if (end > at) words.push_back(argument.substr(at, end - at));
      at = end + 1;
    }
  }
  return words;
}

// Python's spelling of an option is accepted as well.
bool is_option(std::string_view word, std::string_view option) {
  std::string spelled(word.substr(0, word.find('=')));
  std::string wanted(option);
  std::ranges::replace(spelled, '_', '-');
  std::ranges::replace(wanted, '_', '-');
  return spelled == wanted;
}

}  // namespace

std::string_view binding_tool(const std::vector<std::string>& arguments) {
  const auto words = words_of(arguments);
  for (const auto word : words) {
    const auto* const found = std::ranges::find(binders, text::base_name(word));
    if (found != binders.end()) return *found;
  }
  for (const auto& launcher : launchers) {
    const bool called = std::ranges::any_of(
        words, [&](auto word) { return text::base_name(word) == launcher.name; });
    const bool binds =
        std::ranges::any_of(words, [&](auto word) { return is_option(word, launcher.option); });
    if (called && binds) return launcher.as_said;
  }
  return {};
}

}  // namespace muster::task_watch
