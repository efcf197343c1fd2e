#include "worker/tcp/numbering.hpp"

#include "worker/error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include <unistd.h>

namespace muster::worker::tcp {
namespace {

constexpr int max_nodes = 1 << 20;

struct Numbers {
  std::optional<int> rank;
  std::optional<int> size;
};

std::optional<int> first_of(const Environment& environment,
                            std::initializer_list<const char*> names) {
  for (const auto* const name : names) {
    if (const auto number = environment.number(name, max_size)) return number;
  }
  return std::nullopt;
}

// SLURM_STEP_NUM_TASKS counts all components of a heterogeneous step.
Numbers slurms(const Environment& environment) {
  return {first_of(environment, {"SLURM_PROCID"}),
          first_of(environment, {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"})};
}

std::optional<TasksOfNode> slurms_node(const Environment& environment) {
  const auto node = environment.number("SLURM_NODEID", max_nodes);
  const auto tasks = environment.get("SLURM_STEP_TASKS_PER_NODE");
  // Slurm numbers nodes in the order of their lowest task, unless the user has ordered them otherwise.
  if (!node || tasks.empty() || environment.get("SLURM_DISTRIBUTION") == "arbitrary") return {};
  return tasks_of_node(tasks, *node);
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

[[noreturn]] void fail(const std::string& text) {
  throw Error{MUSTER_ERR_ENVIRONMENT, text};
}

void number(RankInfo& info, const Numbers& numbers, const char* where) {
  if (!numbers.rank || !numbers.size) {
    fail(std::string{"this process does not know its rank: "} + where +
         " are not both set; start with srun, or export RANK and WORLD_SIZE");
  }
  if (*numbers.size < 1 || *numbers.rank >= *numbers.size) {
    fail("rank " + std::to_string(*numbers.rank) + " of " + std::to_string(*numbers.size) +
         " does not exist (" + where + "): correct them; ranks are numbered from 0");
  }
  info.rank = *numbers.rank;
  info.size = *numbers.size;
}

// If torchrun is a Slurm task, all its workers inherit its SLURM_PROCID.
bool is_slurms_task(const RankInfo& info, const Numbers& slurm) {
  return slurm.rank && slurm.size == info.size;
}

void add_node(RankInfo& info, const Environment& environment, bool is_task) {
  const auto node = is_task ? slurms_node(environment) : std::nullopt;
  const auto or_slurms = [&](std::optional<int> known, const char* slurm) {
    return known ? *known : is_task ? first_of(environment, {slurm}).value_or(unknown) : unknown;
  };
  info.local_rank = or_slurms(first_of(environment, {"LOCAL_RANK"}), "SLURM_LOCALID");
  info.local_size =
      first_of(environment, {"LOCAL_WORLD_SIZE"}).value_or(node ? node->here : unknown);
  info.node_rank = or_slurms(first_of(environment, {"GROUP_RANK", "NODE_RANK"}), "SLURM_NODEID");
  info.node_count = or_slurms(first_of(environment, {"GROUP_WORLD_SIZE"}), "SLURM_STEP_NUM_NODES");
  const auto local = is_task ? first_of(environment, {"SLURM_LOCALID"}) : std::nullopt;
  if (node && local) info.contiguous_rank = node->before + *local;
}

}  // namespace

std::optional<TasksOfNode> tasks_of_node(std::string_view text, int node) {
  TasksOfNode tasks;
  int first = 0;  // the first node of this item
  const auto parse = [&](int& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc{} && value > 0 && value <= max_size;
  };
  while (!text.empty()) {
    int each = 0;
    int nodes = 1;
    if (!parse(each)) return std::nullopt;
    if (text.starts_with("(x")) {
      text.remove_prefix(2);
      if (!parse(nodes) || nodes > max_nodes || !text.starts_with(')')) return std::nullopt;
      text.remove_prefix(1);
    }
    const auto ahead = static_cast<long>(std::min(nodes, node - first)) * each;
    if (ahead > max_size - tasks.before) return std::nullopt;
    tasks.before += static_cast<int>(ahead);
    if (node < first + nodes) return TasksOfNode{tasks.before, each};
    first += nodes;
    if (!text.empty() && text.front() != ',') return std::nullopt;
    if (!text.empty()) text.remove_prefix(1);
  }
  return std::nullopt;
}

RankInfo rank_info_of(const Environment& environment, muster_numbering numbering) {
  const auto slurm = slurms(environment);
  const Numbers given{first_of(environment, {"RANK"}), first_of(environment, {"WORLD_SIZE"})};
  const bool by_slurm = numbering == MUSTER_RANKS_SLURM || !given.rank;
  RankInfo info;
  number(info, by_slurm ? slurm : given,
         by_slurm ? "SLURM_PROCID and SLURM_NTASKS" : "RANK and WORLD_SIZE");
  const bool is_task = is_slurms_task(info, slurm);
  if (is_task) info.procid = *slurm.rank;
  add_node(info, environment, is_task);
  // Only ranks=contiguous makes RANK differ from Slurm's; torchrun's are contiguous as well.
  if (given.rank && given.size == info.size && given.rank != slurm.rank) {
    info.contiguous_rank = *given.rank;
  }
  if (numbering == MUSTER_RANKS_CONTIGUOUS) {
    if (info.contiguous_rank == unknown) {
      fail(
          "ranks cannot be numbered node by node: neither RANK nor Slurm's variables say how; "
          "start with srun --distributed=torch,ranks=contiguous");
    }
    info.rank = info.contiguous_rank;
  }
  const auto node = environment.get("SLURMD_NODENAME");
  info.node = node.empty() ? host_name() : std::string{node};
  return info;
}

}  // namespace muster::worker::tcp
