#include "core/restart/nodes.hpp"

#include "core/contains.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace muster::restart {
namespace {

using Names = std::vector<std::string>;

constexpr std::chrono::minutes same_fault{10};  // between two failures of one node
constexpr std::chrono::hours suspicion{1};      // how long they count

// The fitter nodes first; among equally fit nodes, those that ran before, then the allocation's order.
std::vector<Candidate> by_preference(std::span<const Candidate> allocation,
                                     const std::set<std::string>& previous) {
  std::set<std::string> seen;
  std::vector<Candidate> usable;
  std::ranges::copy_if(allocation, std::back_inserter(usable), [&seen](const Candidate& node) {
    return seen.insert(node.name).second && node.fitness != Fitness::unfit;
  });
  std::ranges::stable_sort(usable, {}, [&previous](const Candidate& node) {
    return std::pair(node.fitness, !previous.contains(node.name));
  });
  return usable;
}

// The names of the nodes that will run. Suspects are used only to reach the smallest allowed size.
std::optional<std::set<std::string>> select(const std::vector<Candidate>& usable,
                                            const Size& size) {
  const std::size_t least = std::max<std::size_t>(size.min, 1);
  const std::size_t most = std::min(size.wanted, size.max);
  if (usable.size() < least || most < least) return std::nullopt;
  std::set<std::string> chosen;
  for (const auto& node : usable) {
    const auto limit = node.fitness == Fitness::suspect ? least : most;
    if (chosen.size() < limit) chosen.insert(node.name);
  }
  return chosen;
}

// The leaf switches of the nodes that are leaving. A switch that loses two nodes is listed twice.
std::multiset<std::string> leaves_with_gaps(std::span<const Candidate> allocation,
                                            const std::set<std::string>& previous,
                                            const std::set<std::string>& chosen) {
  std::multiset<std::string> leaves;
  for (const auto& node : allocation) {
    const bool goes = previous.contains(node.name) && !chosen.contains(node.name);
    if (goes && !node.leaf.empty()) leaves.insert(node.leaf);
  }
  return leaves;
}

// Replaces newcomers with equally fit ones under the switches with gaps.
std::set<std::string> near(std::vector<Candidate> usable, const std::set<std::string>& previous,
                           std::set<std::string> chosen, std::multiset<std::string> gaps) {
  std::erase_if(usable, [&](const Candidate& node) { return previous.contains(node.name); });
  std::map<Fitness, std::size_t> places;  // for newcomers with that fitness
  for (const auto& node : usable) places[node.fitness] += chosen.erase(node.name);
  const auto take = [&](const Candidate& node) {
    auto& left = places[node.fitness];
    if (left == 0 || !chosen.insert(node.name).second) return false;
    --left;
    return true;
  };
  for (const auto& node : usable) {
    const auto gap = gaps.find(node.leaf);
    if (gap != gaps.end() && take(node)) gaps.erase(gap);
  }
  std::ranges::for_each(usable, take);
  return chosen;
}

// The newcomers, in the allocation's order.
Names newcomers(std::span<const Candidate> allocation, std::set<std::string> chosen,
                std::span<const std::string> previous) {
  for (const auto& name : previous) chosen.erase(name);
  Names added;
  for (const auto& node : allocation) {
    if (chosen.erase(node.name) > 0) added.push_back(node.name);
  }
  return added;
}

// Puts each newcomer in the place of a node that left, and further newcomers at the end. Empty places close
// up.
Names in_places(std::set<std::string> chosen, std::span<const std::string> previous,
                const Names& added) {
  Names nodes;
  auto next = added.begin();
  for (const auto& name : previous) {
    if (chosen.erase(name) > 0) {
      nodes.push_back(name);
    } else if (next != added.end()) {
      nodes.push_back(*next++);
    }
  }
  nodes.insert(nodes.end(), next, added.end());
  return nodes;
}

Candidate left_out(std::span<const Candidate> allocation, const std::string& name) {
  const auto found = std::ranges::find(allocation, name, &Candidate::name);
  return found != allocation.end() ? *found
                                   : Candidate{name, Fitness::unfit, "no longer in the job"};
}

bool failed_twice(const AttemptHistory& first, const AttemptHistory& second) {
  return !first.first_node.empty() && first.first_node == second.first_node &&
         second.failed - first.failed <= same_fault;
}

}  // namespace

std::optional<Choice> choose_nodes(std::span<const Candidate> allocation,
                                   std::span<const std::string> previous, const Size& size) {
  const std::set<std::string> before(previous.begin(), previous.end());
  const auto usable = by_preference(allocation, before);
  auto chosen = select(usable, size);
  if (!chosen) return std::nullopt;
  chosen = near(usable, before, *chosen, leaves_with_gaps(allocation, before, *chosen));
  Choice choice;
  const Names added = newcomers(allocation, *chosen, previous);
  choice.nodes = in_places(*chosen, previous, added);
  for (const auto& name : previous) {
    if (!chosen->contains(name)) choice.left_out.push_back(left_out(allocation, name));
  }
  if (!previous.empty()) choice.added = added;
  return choice;
}

std::vector<std::string> in_reserve(std::span<const Candidate> allocation,
                                    std::span<const std::string> nodes) {
  Names reserve;
  for (const auto& node : by_preference(allocation, {})) {
    if (!contains(nodes, node.name)) reserve.push_back(node.name);
  }
  return reserve;
}

std::vector<Suspect> suspects(std::span<const AttemptHistory> past, Time now) {
  std::vector<Suspect> found;
  const auto add = [&found](const std::string& node, const char* why) {
    if (std::ranges::find(found, node, &Suspect::node) == found.end()) found.push_back({node, why});
  };
  for (std::size_t i = 0; i < past.size(); ++i) {
    const auto& attempt = past[i];
    if (now - attempt.failed > suspicion) continue;
    if (attempt.start_error) add(attempt.start_error->node, "the program could not start there");
    const auto twice = [&](const AttemptHistory& first) { return failed_twice(first, attempt); };
    if (std::ranges::any_of(past.first(i), twice)) {
      add(attempt.first_node, "failed first in two attempts");
    }
  }
  return found;
}

}  // namespace muster::restart
