#include "launcher/agent/ranks_at_store.hpp"

#include "launcher/agent/links.hpp"
#include "launcher/agent/tcp_connections.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include <sys/types.h>
#include <unistd.h>

namespace muster::agent {
namespace {

constexpr std::size_t max_processes = 4096;

// The inodes of this user's connections to the port.
std::optional<std::set<std::uint64_t>> connections_to(rendezvous::Port port) {
  const auto connections = tcp_connections();
  if (!connections) return std::nullopt;
  std::set<std::uint64_t> inodes;
  for (const auto& each : *connections)
    if (each.port_to == port && each.user == geteuid()) inodes.insert(each.counters.inode);
  return inodes;
}

bool has_one_of(const std::set<std::uint64_t>& inodes, pid_t pid) {
  return std::ranges::any_of(sockets_of("/proc", pid),
                             [&inodes](auto inode) { return inodes.contains(inode); });
}

// The rank of each process: its own, or that of the nearest process above it.
std::map<pid_t, std::uint32_t> rank_of_processes(const ranks::Ranks& ranks,
                                                 const std::vector<ranks::ProcessStat>& below) {
  std::map<pid_t, std::uint32_t> found;
  for (const auto& rank : ranks.all())
    if (rank.runs()) found.emplace(rank.process->pid(), rank.place.rank);
  // A process may come before its parent in the list.
  for (bool more = true; more;) {
    more = false;
    for (const auto& process : below) {
      const auto parent = found.find(process.parent);
      if (parent == found.end()) continue;
      more = found.emplace(process.pid, parent->second).second || more;
    }
  }
  return found;
}

}  // namespace

std::optional<AtStore> RanksAtStore::look(rendezvous::Port port, const ranks::Ranks& ranks) {
  if (all_) return all_;
  const auto inodes = connections_to(port);
  if (!inodes) return std::nullopt;
  std::set<std::uint32_t> all;
  std::size_t looked_at = 0;
  for (const auto& [pid, rank] : rank_of_processes(ranks, ranks.below())) {
    all.insert(rank);
    if (inodes->empty() || there_.contains(rank) || ++looked_at > max_processes) continue;
    if (has_one_of(*inodes, pid)) there_.insert(rank);
  }
  AtStore found{.ranks = static_cast<std::uint32_t>(there_.size())};
  for (const auto rank : all) {
    if (there_.contains(rank)) continue;
    if (found.missing.size() == max_missing) break;
    found.missing.push_back(rank);
  }
  if (found.ranks > 0 && found.missing.empty()) all_ = found;
  return found;
}

std::optional<AtStore> RanksAtStore::last_look(rendezvous::Port port, const ranks::Ranks& ranks) {
  auto found = look(port, ranks);
  if (!found || all_) return found;
  for (const auto& rank : ranks.all())
    if (!rank.runs() && !there_.contains(rank.place.rank)) ++found->ranks;
  return found;
}

}  // namespace muster::agent
