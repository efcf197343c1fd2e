// How many members connect to the leader itself, and how many to relays instead. Pure.
#pragma once

#include <cstddef>
#include <optional>

namespace muster::rendezvous {

// Up to this many members, the leader keeps a connection to each if it has enough descriptors. This is the
// largest step that was measured (docs/explain/benchmarks.md); at that size groups would take longer.
inline constexpr std::size_t max_star = 16384;

struct Groups {
  std::size_t relays = 0;   // members to which others connect; 0: all connect to the leader
  std::size_t size = 0;     // at most this many other members per relay
  std::size_t direct = 0;   // members for which the leader itself has room
  std::size_t passing = 0;  // unauthenticated connections, plus as many members that soon leave
};

// `width`: members per node, from the site's file. `descriptors`: the leader's limit.
Groups groups_of(std::size_t members, std::optional<std::size_t> width, std::size_t descriptors);

}  // namespace muster::rendezvous
