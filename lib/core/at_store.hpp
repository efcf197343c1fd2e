// Which ranks have come to the rendezvous, while others are still missing. Pure.
#pragma once

#include "core/record/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster {

inline constexpr std::size_t max_missing = 8;

// Of one node: its ranks that are, or were, connected to the rendezvous port, and its running ranks that have
// not come yet.
struct AtStore {
  std::uint32_t ranks = 0;
  std::vector<std::uint32_t> missing = {};  // ascending; the first of them

  friend bool operator==(const AtStore&, const AtStore&) = default;
};
template <class Io>
void fields(Io& io, AtStore& at) {
  io(at.ranks)(at.missing, record::Max{max_missing});
}

struct NodeAtStore {
  std::string node;
  std::optional<AtStore> at;  // no value: the node has not told
};

// "5 of 6 ranks; missing: rank 3 on node2", as many names as fit into the columns. `all`: ranks that should
// come. Empty if nobody is missing; if nobody has come, because programs may meet elsewhere; and if a node
// has not told.
std::string at_store_text(std::span<const NodeAtStore> nodes, std::uint32_t all,
                          std::size_t columns);

}  // namespace muster
