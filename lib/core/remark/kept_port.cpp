#include "core/remark/kept_port.hpp"

#include "core/text/quote.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace muster::remark {

std::string kept_port(const profile::Profile& profile, Origin origin, rendezvous::Port port) {
  if (origin != Origin::user || !tells_port(profile)) return {};
  return fmt::format(
      "MASTER_PORT={} is exported, so it is kept, and two steps on one node with the same port "
      "collide; unset MASTER_PORT, and muster picks a free port for each step",
      port);
}

std::string kept_address(const profile::Profile& profile, const std::string& exported,
                         const std::string& address, const std::string& node) {
  const bool is_rank_0s = exported == address || exported.substr(0, exported.find('.')) == node;
  if (exported.empty() || is_rank_0s || !tells_port(profile)) return {};
  return fmt::format(
      "MASTER_ADDR={} is exported, so it is kept, but rank 0 runs on {} ({}); unset MASTER_ADDR, or the "
      "ranks may wait for each other at different addresses",
      text::printable(exported), node, address);
}

bool tells_port(const profile::Profile& profile) {
  using profile::Placeholder;
  return uses(profile, Placeholder::master_port) || uses(profile, Placeholder::rendezvous);
}

}  // namespace muster::remark
