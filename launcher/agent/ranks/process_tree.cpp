#include "launcher/agent/ranks/process_tree.hpp"

#include <algorithm>
#include <map>

namespace muster::ranks {
namespace {

class Tree {
 public:
  Tree(const std::vector<RankStart>& ranks, const std::vector<TableEntry>& table,
       const Spared& spared)
      : spared_(spared) {
    for (const auto& rank : ranks) {
      ranks_.emplace(rank.pid, rank);
      leaders_.insert(rank.pid);
      first_start_ = std::min(first_start_, rank.start_time);
    }
    // Skips an ID that belongs to a different process by now.
    for (const auto& entry : table)
      if (leaders_.contains(entry.stat.pid) && !is_rank(entry.stat)) leaders_.erase(entry.stat.pid);
  }

  [[nodiscard]] bool is_rank(const ProcessStat& stat) const {
    const auto rank = ranks_.find(stat.pid);
    if (rank == ranks_.end()) return false;
    const auto& start = rank->second;
    return start.is_exact ? stat.start_time == start.start_time
                          : stat.start_time >= start.start_time;
  }

  [[nodiscard]] bool is_spared(const ProcessStat& stat) const {
    return stat.pid <= 1 || spared_.pids.contains(stat.pid) || stat.session == spared_.session;
  }

  // Whether it belongs to a rank by itself, whatever its parent is.
  [[nodiscard]] bool belongs(const TableEntry& entry) const {
    if (entry.stat.start_time < first_start_) return false;
    if (entry.in_ranks_group || entry.environment == Mark::rank) return true;
    return entry.environment == Mark::none &&
           (leaders_.contains(entry.stat.session) || leaders_.contains(entry.stat.group));
  }

 private:
  const Spared& spared_;
  std::map<pid_t, RankStart> ranks_;
  std::set<pid_t> leaders_;  // IDs of sessions and process groups
  std::uint64_t first_start_ = UINT64_MAX;
};

// Adds all descendants of `members` and of the ranks that /proc hides. Leaves out spared processes and their
// descendants.
void add_children(std::map<pid_t, const ProcessStat*>& members, const std::vector<RankStart>& ranks,
                  const Tree& tree, const std::vector<TableEntry>& table) {
  std::multimap<pid_t, const ProcessStat*> children;
  for (const auto& entry : table) children.emplace(entry.stat.parent, &entry.stat);
  std::vector<pid_t> parents;
  parents.reserve(members.size());
  for (const auto& [pid, stat] : members) parents.push_back(pid);
  for (const auto& rank : ranks) {
    if (!rank.is_exact && !members.contains(rank.pid)) parents.push_back(rank.pid);
  }
  while (!parents.empty()) {
    const auto [first, last] = children.equal_range(parents.back());
    parents.pop_back();
    for (auto child = first; child != last; ++child) {
      const auto& stat = *child->second;
      if (!tree.is_spared(stat) && members.emplace(stat.pid, &stat).second)
        parents.push_back(stat.pid);
    }
  }
}

}  // namespace

std::vector<ProcessStat> processes_below(const std::vector<RankStart>& ranks,
                                         const std::vector<TableEntry>& table,
                                         const Spared& spared) {
  const Tree tree(ranks, table, spared);
  std::map<pid_t, const ProcessStat*> members;
  for (const auto& entry : table) {
    if (tree.is_spared(entry.stat)) continue;
    if (tree.is_rank(entry.stat) || tree.belongs(entry))
      members.emplace(entry.stat.pid, &entry.stat);
  }
  add_children(members, ranks, tree, table);
  std::vector<ProcessStat> below;
  for (const auto& [pid, stat] : members)
    if (!tree.is_rank(*stat)) below.push_back(*stat);
  return below;
}

std::vector<std::vector<pid_t>> processes_by_rank(const std::vector<pid_t>& ranks,
                                                  const std::vector<ProcessStat>& below) {
  std::map<pid_t, pid_t> parents;
  for (const auto& stat : below) parents.emplace(stat.pid, stat.parent);
  // The parents may form a cycle, because one of them may have ended and its ID may be in use again.
  const auto oldest = [&parents](pid_t pid) {
    for (std::size_t step = 0; step <= parents.size() && parents.contains(pid); ++step)
      pid = parents.at(pid);
    return pid;
  };
  std::vector<std::vector<pid_t>> processes(ranks.size());
  for (std::size_t id = 0; id < ranks.size(); ++id)
    if (ranks[id] > 0) processes[id].push_back(ranks[id]);
  for (const auto& stat : below) {
    const auto owner = std::ranges::find(ranks, oldest(stat.pid));
    for (std::size_t id = 0; id < ranks.size(); ++id) {
      const bool is_own = owner == ranks.end() || ranks[id] == *owner;
      if (ranks[id] > 0 && is_own) processes[id].push_back(stat.pid);
    }
  }
  return processes;
}

}  // namespace muster::ranks
