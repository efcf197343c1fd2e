#include "worker/pmix/layout.hpp"

#include "worker/rank_info.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace muster::worker::pmix {
namespace {

// Removes the number at the start of `text` and returns it.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

bool arbitrary(const Environment& environment) {
  return environment.get("SLURM_DISTRIBUTION").find("arbitrary") != std::string_view::npos ||
         environment.has("SLURM_HOSTFILE");
}

}  // namespace

std::vector<int> tasks_per_node(std::string_view text, std::size_t max) {
  std::vector<int> tasks;
  do {
    const auto count = take_number(text);
    int times = 1;
    if (take(text, "(x")) {
      const auto repeated = take_number(text);
      if (!repeated || !take(text, ")")) return {};
      times = *repeated;
    }
    if (!count || tasks.size() + static_cast<std::size_t>(times) > max) return {};
    tasks.insert(tasks.end(), static_cast<std::size_t>(times), *count);
  } while (take(text, ","));
  return text.empty() ? tasks : std::vector<int>{};
}

std::optional<Position> position_from_environment(const Environment& environment,
                                                  const Local& local) {
  if (arbitrary(environment) || local.ranks.empty()) return std::nullopt;
  const auto node = environment.number("SLURM_NODEID", max_size);
  const auto node_count = static_cast<std::size_t>(local.nodes);
  const auto tasks = tasks_per_node(environment.get("SLURM_STEP_TASKS_PER_NODE"), node_count);
  if (!node || tasks.size() != node_count || *node >= local.nodes) return std::nullopt;
  if (std::accumulate(tasks.begin(), tasks.end(), 0) != local.size) return std::nullopt;
  if (tasks[static_cast<std::size_t>(*node)] != static_cast<int>(local.ranks.size())) {
    return std::nullopt;
  }
  if ((*node == 0) != (local.ranks.front() == 0)) return std::nullopt;

  const auto mine = std::lower_bound(local.ranks.begin(), local.ranks.end(), local.procid);
  const int before = std::accumulate(tasks.begin(), tasks.begin() + *node, 0);
  return Position{*node, before + static_cast<int>(mine - local.ranks.begin())};
}

bool wants_contiguous(const Environment& environment, muster_numbering requested) {
  if (requested != MUSTER_RANKS_AUTO) return requested == MUSTER_RANKS_CONTIGUOUS;
  const auto step = std::string{environment.get("SLURM_JOB_ID")} + "." +
                    std::string{environment.get("SLURM_STEP_ID")};
  return environment.get("MUSTER_NUMBERING") == "contiguous" &&
         environment.get("MUSTER_STEP") == step;
}

}  // namespace muster::worker::pmix
