#include "core/slow/named.hpp"

#include <algorithm>

namespace muster::slow {

std::chrono::nanoseconds held_up(const std::vector<Named>& all) {
  std::chrono::nanoseconds ranks{0};
  std::chrono::nanoseconds links{0};
  for (const auto& named : all) {
    if (named.link)
      links = std::max(links, named.lost);
    else
      ranks += named.lost;
  }
  return ranks + links;
}

}  // namespace muster::slow
