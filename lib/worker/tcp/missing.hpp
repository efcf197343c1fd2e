// Names missing ranks in the space of one line. Pure.
#pragma once

#include <string>
#include <vector>

namespace muster::worker::tcp {

struct AbsentRank {
  int rank = 0;
  std::string node;        // empty if unknown
  bool connected = false;  // it has connected, but has not made this call
};

// "ranks 3, 5-9 (n2, n3)"; "rank 4" if no node is known.
std::string list_ranks(const std::vector<AbsentRank>& ranks);

// "ranks 5-9 never connected; rank 3 (n2) is connected but not in this call".
std::string absence(const std::vector<AbsentRank>& ranks);

}  // namespace muster::worker::tcp
