#include "core/srun/spare_nodes.hpp"

#include "core/error.hpp"
#include "core/srun/gpu_total.hpp"
#include "core/srun/values.hpp"
#include "core/text/amounts.hpp"
#include "core/text/quote.hpp"

#include <optional>

#include <fmt/format.h>

namespace muster::srun {
namespace {

struct NodeRange {
  std::uint64_t min = 0;
  std::optional<std::uint64_t> max;
};

[[noreturn]] void refuse(std::uint32_t spares, const std::string& why) {
  throw Error(fmt::format("spares={}: {}", spares, why));
}

std::optional<std::uint64_t> count_of(const Option* option) {
  return option != nullptr && option->value ? leading_number(*option->value) : std::nullopt;
}

// Parses "4" or "2-4"; no value for Slurm's other forms.
std::optional<NodeRange> node_range(const std::string& text) {
  if (text.find_first_of(",:") != std::string::npos) return std::nullopt;
  const auto dash = text.find('-');
  const auto min = leading_number(text);
  if (!min || *min == 0) return std::nullopt;
  if (dash == std::string::npos) return NodeRange{*min, std::nullopt};
  const auto max = leading_number(std::string_view(text).substr(dash + 1));
  if (!max || *max < *min) return std::nullopt;
  return NodeRange{*min, *max};
}

NodeRange nodes_of(const Line& line, std::uint32_t spares) {
  if (const auto* const option = line.last("nodes"); option != nullptr && option->value) {
    const auto range = node_range(*option->value);
    if (range) return *range;
    refuse(spares, fmt::format("cannot add spare nodes to --nodes={}; use a number or MIN-MAX",
                               text::in_quotes(*option->value)));
  }
  const auto tasks = count_of(line.last("ntasks"));
  const auto per_node = count_of(line.last("ntasks-per-node"));
  if (!tasks || !per_node || *per_node == 0 || *tasks % *per_node != 0) {
    refuse(spares, "the number of nodes is not set; use -N");
  }
  return {*tasks / *per_node, std::nullopt};
}

// Slurm refuses a count per node in combination with a count per GPU.
bool says_where_tasks_go(const Line& line) {
  return line.has_any({"ntasks-per-node", "ntasks-per-gpu", "ntasks-per-tres"});
}

}  // namespace

std::vector<std::string> with_spares(const Line& line, std::uint32_t spares) {
  if (spares == 0) return {};
  if (places_tasks(line)) {
    refuse(
        spares,
        "--distribution=arbitrary assigns each task to a node; leave out this option or spares=");
  }
  const auto range = nodes_of(line, spares);
  const auto nodes = range.min;
  std::vector<std::string> words{fmt::format("--nodes={}", nodes + spares)};
  if (range.max) words.front() += fmt::format("-{}", *range.max + spares);
  if (const auto tasks = count_of(line.last("ntasks"))) {
    if (*tasks % nodes != 0) {
      refuse(spares,
             fmt::format("{} cannot be divided evenly among {} nodes; use --ntasks-per-node "
                         "instead of -n",
                         text::count(*tasks, "task"), nodes));
    }
    words.push_back(fmt::format("--ntasks={}", *tasks / nodes * (nodes + spares)));
    // Without this option, Slurm fills one node after the other, and uses only one CPU on each of the last
    // ones.
    if (!says_where_tasks_go(line)) {
      words.push_back(fmt::format("--ntasks-per-node={}", *tasks / nodes));
    }
  }
  if (const auto* const gpus = line.last("gpus"); gpus != nullptr && gpus->value) {
    const auto more = gpus_for(*gpus->value, nodes, nodes + spares);
    if (!more) {
      refuse(spares,
             fmt::format("--gpus={} cannot be divided evenly among {} nodes; use --gpus-per-node",
                         text::in_quotes(*gpus->value), nodes));
    }
    words.push_back("--gpus=" + *more);
  }
  return words;
}

std::vector<std::string> with_spares(const std::vector<Line>& components,
                                     const Environment& environment, std::uint32_t spares) {
  if (spares > 0 && components.size() > 1) {
    refuse(spares,
           "a step with several components (srun A : B) restarts only on the same nodes; "
           "leave out spares=");
  }
  return with_spares(with_variables(components.front(), environment), spares);
}

}  // namespace muster::srun
