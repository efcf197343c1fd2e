// One of the groups of groups=N.
#pragma once

#include <cstdint>

namespace muster {

struct GroupNumber {
  std::uint32_t number = 0;  // from 0
  std::uint32_t count = 0;   // of all groups at the start: groups=N, or MAX of groups=MIN:MAX

  friend bool operator==(const GroupNumber&, const GroupNumber&) = default;
};

template <class Io>
void fields(Io& io, GroupNumber& group) {
  io(group.number)(group.count);
}

}  // namespace muster
