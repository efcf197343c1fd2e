#include "core/srun/step_size.hpp"

#include "core/contains.hpp"
#include "core/slurm/hostlist.hpp"
#include "core/srun/gpu_total.hpp"
#include "core/srun/line.hpp"
#include "core/srun/values.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace muster::srun {
namespace {

std::optional<std::uint32_t> number(const std::optional<std::string>& text) {
  return text ? leading_number(*text) : std::nullopt;
}

constexpr std::array<std::string_view, 4> choosing_nodes{"nodelist", "exclude", "nodefile",
                                                         "relative"};

// Whether the option would contradict the nodes and tasks that muster sets instead.
bool is_replaced(const Option& option, const StepNodes& nodes) {
  constexpr std::array<std::string_view, 3> counts{"nodes", "ntasks", "ntasks-per-node"};
  // srun refuses it in combination with --overlap, which muster uses instead. What remains of --exclusive is
  // --exact.
  constexpr std::array<std::string_view, 2> sharing{"exclusive", "overlap"};
  return contains(choosing_nodes, option.name) || contains(counts, option.name) ||
         (nodes.share && is_of_node_share(option.name)) ||
         (nodes.beside_old_step && contains(sharing, option.name));
}

// True if the step itself asks for --exclusive; the option's other values say how a job shares its nodes.
bool is_exclusive_step(const Line& line) {
  const auto* const option = line.last("exclusive");
  return option != nullptr && (!option->value || option->value == "exclusive");
}

// Slurm refuses a count per node in combination with a count per GPU.
bool counts_tasks_by_gpu(const Line& line, const Environment& environment) {
  return line.has_any({"ntasks-per-gpu", "ntasks-per-tres"}) ||
         environment.contains("SLURM_NTASKS_PER_GPU") ||
         environment.contains("SLURM_NTASKS_PER_TRES");
}

// --gpus counts the GPUs of the user's whole step or job; this is the same number per node for `count` nodes.
std::optional<std::string> gpus_of_step(const Line& line, const Environment& environment,
                                        std::size_t count) {
  const auto gpus = setting(line, environment, "gpus");
  const bool is_steps = line.has("gpus") && line.has("nodes");
  const auto meant_for =
      number(is_steps ? setting(line, {}, "nodes") : setting({}, environment, "nodes"));
  return gpus && meant_for ? gpus_for(*gpus, *meant_for, count) : std::nullopt;
}

}  // namespace

StepSize step_size(const Command& command, const Environment& environment) {
  const auto line = read_line(command);
  StepSize size;
  size.nodes = number(setting(line, {}, "nodes"));
  size.tasks = number(setting(line, environment, "ntasks"));
  // srun ignores a job's number per node that does not match the line's number of tasks.
  size.tasks_per_node =
      number(setting(line, line.has("ntasks") ? Environment() : environment, "ntasks-per-node"));
  size.chose_nodes = std::ranges::any_of(
      line.options, [](const auto& option) { return contains(choosing_nodes, option.name); });
  size.arbitrary =
      is_arbitrary(setting(line, environment, "distribution").value_or("")) ||
      (environment.contains("SLURM_HOSTFILE") && !line.has_any({"nodelist", "nodefile"}));
  return size;
}

bool has_own_size(const Command& command) {
  const auto size = step_size(command, {});
  return size.nodes || size.tasks || size.chose_nodes || size.arbitrary;
}

bool determines_size(const Command& command, std::uint32_t nodes) {
  const auto line = read_line(command);
  const auto* const asked = line.last("nodes");
  return asked != nullptr && asked->value == fmt::to_string(nodes) && line.has("ntasks");
}

Command on_nodes(const Command& command, const Environment& environment, const StepNodes& nodes) {
  const auto line = read_line(command);
  std::vector<std::string> words{command.words.front()};
  for (const auto& option : line.options) {
    if (is_replaced(option, nodes)) continue;
    words.insert(words.end(), option.words.begin(), option.words.end());
  }
  const auto count = nodes.names.size();
  words.push_back(fmt::format("--nodes={}", count));
  words.push_back("--nodelist=" + slurm::compress_hostlist(nodes.names));
  words.push_back(fmt::format("--ntasks={}", count * nodes.tasks_per_node));
  if (!counts_tasks_by_gpu(line, environment)) {
    words.push_back(fmt::format("--ntasks-per-node={}", nodes.tasks_per_node));
  }
  if (nodes.share) {
    const auto more = share_options(line, environment, *nodes.share);
    words.insert(words.end(), more.begin(), more.end());
  } else if (const auto gpus = gpus_of_step(line, environment, count)) {
    words.push_back("--gpus=" + *gpus);
  }
  if (nodes.beside_old_step && !nodes.share) {
    if (is_exclusive_step(line)) words.emplace_back("--exact");
    words.emplace_back("--overlap");
  }
  if (nodes.without_ports && !line.has("resv-ports")) words.emplace_back("--resv-ports=0");
  const auto program = words.size() + (line.program - line.end);
  words.insert(words.end(), command.words.begin() + static_cast<std::ptrdiff_t>(line.end),
               command.words.end());
  return {words, program < words.size() ? program : 0};
}

}  // namespace muster::srun
