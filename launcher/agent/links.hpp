// slow=: what this node's ranks send to other nodes, as the kernel counts it for their TCP connections. Looks
// once a second, or as seldom as costs the agent at most a thousandth of a core.
#pragma once

#include "core/slow/node_traffic.hpp"
#include "launcher/agent/ranks/ranks.hpp"
#include "launcher/agent/tcp_connections.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include <sys/types.h>

namespace muster::agent {

class Links {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // When to call look() next.
  [[nodiscard]] Time next() const { return next_; }

  // What there is to tell the supervisor, every five seconds at most.
  std::optional<slow::Traffic> look(Time now, const ranks::Ranks& ranks);

 private:
  void look_at_connections(Time now, const ranks::Ranks& ranks);
  void find_sockets(const ranks::Ranks& ranks);

  slow::NodeTraffic traffic_;
  std::set<std::uint64_t> own_;    // the inodes of sockets: those of the ranks
  std::set<std::uint64_t> known_;  // all that had been opened when the ranks' were found
  Time next_;
  Time find_again_;
  Time tell_;
};

// The inodes of the sockets that a process has open. Empty if it has ended, or may not be looked at.
std::set<std::uint64_t> sockets_of(const std::filesystem::path& proc, pid_t pid);

}  // namespace muster::agent
