#include "core/restart/node_fitness.hpp"

#include "core/slow/text.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace muster::restart {
namespace {

void lower(Candidate& candidate, Fitness fitness, std::string why) {
  if (fitness <= candidate.fitness) return;
  candidate.fitness = fitness;
  candidate.why = std::move(why);
}

std::string processes_text(std::uint32_t count) {
  return count == 1 ? "a process of an earlier attempt cannot be killed"
                    : fmt::format("{} processes of earlier attempts cannot be killed", count);
}

void judge_node(Candidate& candidate, const NodeCheck& check, bool ill) {
  if (check.old_processes > 0)
    lower(candidate, Fitness::unfit, processes_text(check.old_processes));
  if (ill) lower(candidate, Fitness::suspect, "health check: " + check.why);
  if (check.gpu_memory_held) lower(candidate, Fitness::doubtful, "GPU memory is not free yet");
}

const NodeCheck* find(const NodeChecks& checks, const std::string& node) {
  const auto found = std::ranges::find(checks.answers, node, &NodeCheck::node);
  return found == checks.answers.end() ? nullptr : &*found;
}

// In the order in which the nodes were asked, because answers arrive in any order.
const NodeCheck* first(const NodeChecks& checks, Health health) {
  for (const auto& node : checks.asked) {
    const auto* const check = find(checks, node);
    if (check != nullptr && check->health == health) return check;
  }
  return nullptr;
}

// The nodes without a clear result, and why.
std::vector<std::pair<std::string, std::string>> unclear_nodes(const NodeChecks& checks) {
  std::vector<std::pair<std::string, std::string>> nodes;
  for (const auto& node : checks.asked) {
    const auto* const check = find(checks, node);
    if (check == nullptr) {
      nodes.emplace_back(node, checks.silence);
    } else if (check->health == Health::unclear) {
      nodes.emplace_back(node, check->why);
    }
  }
  return nodes;
}

std::string remark_of(const NodeChecks& checks, bool says_nothing) {
  if (says_nothing) {
    const auto* const ill = first(checks, Health::ill);
    return fmt::format(
        "health={} found no node healthy ({}: {}), so muster ignores the result: all nodes "
        "count as healthy",
        *checks.health, ill->node, ill->why);
  }
  const auto unclear = unclear_nodes(checks);
  if (unclear.empty()) return {};
  const auto more = unclear.size() - 1;
  return fmt::format("health={} gave no clear result on {} ({}){}: such a node counts as healthy",
                     *checks.health, unclear.front().first, unclear.front().second,
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

Judgement judge(std::vector<Candidate> candidates, const NodeChecks& checks) {
  const bool any_ill = first(checks, Health::ill) != nullptr;
  const bool says_nothing = any_ill && first(checks, Health::well) == nullptr;
  for (auto& candidate : candidates) {
    const auto* const check = find(checks, candidate.name);
    if (check == nullptr) continue;
    judge_node(candidate, *check, check->health == Health::ill && !says_nothing);
  }
  return {std::move(candidates), checks.health ? remark_of(checks, says_nothing) : std::string()};
}

void doubt_slow(std::span<Candidate> candidates, std::span<const slow::Named> slow) {
  for (auto& candidate : candidates) {
    const auto found = std::ranges::find_if(slow, [&](const auto& named) {
      return named.node == candidate.name && !named.over && named.blames_node();
    });
    if (found == slow.end()) continue;
    lower(candidate, Fitness::doubtful,
          fmt::format("slow: {} held up all others for {:.0f} % of the time", slow::who(*found),
                      found->time_percent));
  }
}

bool leaves_doubt(const report::Record& record) {
  const auto gone = [](const report::NodeRecord& node) {
    return node.state == report::NodeState::agent_gone;
  };
  const auto unknown = [](const report::RankEnd& end) {
    return end.wait_status == report::unknown_status;
  };
  return std::ranges::any_of(record.nodes, gone) || std::ranges::any_of(record.ends, unknown);
}

}  // namespace muster::restart
