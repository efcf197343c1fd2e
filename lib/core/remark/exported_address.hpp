// A rendezvous address that the user exported, and where the ranks cannot meet.
#pragma once

#include "core/rendezvous/exported_address.hpp"

#include <cstddef>
#include <string>

namespace muster::remark {

// Where the ranks should meet.
struct RankZero {
  std::string node;
  std::string address;
  std::size_t nodes = 1;  // of the step
};

// It is kept. Empty if the ranks can meet there.
std::string kept_address(const rendezvous::ExportedAddress& exported, const RankZero& rank_0);

// muster's own address replaces it. `of`: "attempt" or "group", for which muster has chosen rank 0's node.
std::string replaced_address(const rendezvous::ExportedAddress& exported, const RankZero& rank_0,
                             const std::string& of);

}  // namespace muster::remark
