// How many members meet at the leader itself, and how many at relays instead. Pure.
#pragma once

#include <cstddef>
#include <optional>

namespace muster::rendezvous {

// Up to this many members, the leader keeps a connection to each if it has enough descriptors. This is the
// largest step that was measured (docs/explain/benchmarks.md); at that size groups would take longer.
inline constexpr std::size_t max_star = 16384;

struct Groups {
  std::size_t relays = 0;   // members at which others meet; 0: all meet at the leader
  std::size_t size = 0;     // other members at each relay, at most
  std::size_t direct = 0;   // members that the leader itself has room for
  std::size_t passing = 0;  // unauthenticated connections, and as many members that soon leave
};

// `width`: members at one node, from the site's file. `descriptors`: the leader's limit.
Groups groups_of(std::size_t members, std::optional<std::size_t> width, std::size_t descriptors);

}  // namespace muster::rendezvous
