#include "launcher/allocation/step_size.hpp"

#include "core/layout/hostlist.hpp"
#include "launcher/allocation/srun_line.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

namespace muster::allocation {
namespace {

// The number that the text begins with: the minimum of "2-4". With "k" or "m" behind it, 1024 times as
// many, or that twice.
std::optional<std::uint32_t> leading_number(std::string_view text) {
  constexpr std::uint64_t kilo = 1024;
  std::uint32_t value = 0;
  const auto* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{}) return std::nullopt;
  const auto unit = stop == end ? '\0' : static_cast<char>(std::tolower(*stop));
  const auto scaled = value * (unit == 'k' ? kilo : unit == 'm' ? kilo * kilo : 1);
  if (scaled > UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(scaled);
}

// The last option of any of these names, or else the first variable that is there.
std::optional<std::string> setting(const SrunLine& line, const Environment& environment,
                                   std::span<const std::string_view> names,
                                   std::span<const std::string_view> variables) {
  const auto is_meant = [&](const SrunOption& option) {
    return option.value && std::ranges::find(names, option.name) != names.end();
  };
  const auto option = std::find_if(line.options.rbegin(), line.options.rend(), is_meant);
  if (option != line.options.rend()) return option->value;
  for (const auto name : variables) {
    const auto found = environment.find(name);
    if (found != environment.end()) return found->second;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> number(const std::optional<std::string>& text) {
  return text ? leading_number(*text) : std::nullopt;
}

// "arbitrary" in any case, or the beginning of it, before what follows by ',' or ':'.
bool is_arbitrary(std::string_view distribution) {
  constexpr std::string_view word = "arbitrary";
  const auto first = distribution.substr(0, distribution.find_first_of(",:"));
  const auto is_same = [](char a, char b) { return std::tolower(a) == b; };
  return !first.empty() && first.size() <= word.size() &&
         std::equal(first.begin(), first.end(), word.begin(), is_same);
}

bool is_one_of(std::string_view name, const auto& names) {
  return std::ranges::find(names, name) != names.end();
}

constexpr std::array<std::string_view, 4> choosing_nodes{"nodelist", "exclude", "nodefile",
                                                         "relative"};

// What would contradict the nodes and tasks that are given instead.
bool is_replaced(const SrunOption& option, bool beside_old_step) {
  constexpr std::array<std::string_view, 4> counts{"nodes", "ntasks", "ntasks-per-node",
                                                   "tasks-per-node"};
  // Not beside --overlap, which is given instead. Of --exclusive the rest is --exact.
  constexpr std::array<std::string_view, 2> sharing{"exclusive", "overlap"};
  return is_one_of(option.name, choosing_nodes) || is_one_of(option.name, counts) ||
         (beside_old_step && is_one_of(option.name, sharing));
}

// --exclusive of a step, and not the values that mean how a job shares its nodes.
bool is_exclusive_step(const SrunLine& line) {
  const auto* const option = line.last("exclusive");
  return option != nullptr && (!option->value || option->value == "exclusive");
}

// Slurm takes no count per node beside one per GPU.
bool counts_tasks_by_gpu(const SrunLine& line) {
  return line.last("ntasks-per-gpu") != nullptr || line.last("ntasks-per-tres") != nullptr;
}

}  // namespace

StepSize step_size(const supervise::SrunCommand& command, const Environment& environment) {
  using Names = std::initializer_list<std::string_view>;
  const auto line = read_srun_line(command);
  const auto find = [&](Names names, Names variables) {
    return setting(line, environment, names, variables);
  };
  StepSize size;
  size.nodes = number(find({"nodes"}, {}));
  size.tasks = number(find({"ntasks"}, {"SLURM_NTASKS", "SLURM_NPROCS"}));
  size.tasks_per_node =
      number(find({"ntasks-per-node", "tasks-per-node"}, {"SLURM_NTASKS_PER_NODE"}));
  size.chose_nodes = std::ranges::any_of(
      line.options, [](const auto& option) { return is_one_of(option.name, choosing_nodes); });
  size.arbitrary =
      is_arbitrary(find({"distribution"}, {"SLURM_DISTRIBUTION"}).value_or("")) ||
      (environment.contains("SLURM_HOSTFILE") && !line.last("nodelist") && !line.last("nodefile"));
  return size;
}

supervise::SrunCommand on_nodes(const supervise::SrunCommand& command, const StepNodes& nodes) {
  const auto line = read_srun_line(command);
  std::vector<std::string> words{command.words.front()};
  for (const auto& option : line.options) {
    if (is_replaced(option, nodes.beside_old_step)) continue;
    words.insert(words.end(), option.words.begin(), option.words.end());
  }
  const auto count = nodes.names.size();
  words.push_back(fmt::format("--nodes={}", count));
  words.push_back("--nodelist=" + layout::compress_hostlist(nodes.names));
  words.push_back(fmt::format("--ntasks={}", count * nodes.tasks_per_node));
  if (!counts_tasks_by_gpu(line)) {
    words.push_back(fmt::format("--ntasks-per-node={}", nodes.tasks_per_node));
  }
  if (nodes.beside_old_step) {
    if (is_exclusive_step(line)) words.emplace_back("--exact");
    words.emplace_back("--overlap");
  }
  const auto program = words.size() + (line.program - line.end);
  words.insert(words.end(), command.words.begin() + static_cast<std::ptrdiff_t>(line.end),
               command.words.end());
  return {words, program < words.size() ? program : 0};
}

}  // namespace muster::allocation
