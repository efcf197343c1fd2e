#include "core/remark/kept_port.hpp"

#include <fmt/format.h>

namespace muster::remark {

std::string kept_port(const profile::Profile& profile, Origin origin, rendezvous::Port port) {
  if (origin != Origin::user || !tells_port(profile)) return {};
  return fmt::format(
      "MASTER_PORT={} is exported, so it is kept, and two steps on one node with the same port "
      "collide; unset MASTER_PORT, and muster picks a free port for each step",
      port);
}

bool tells_port(const profile::Profile& profile) {
  using profile::Placeholder;
  return uses(profile, Placeholder::master_port) || uses(profile, Placeholder::rendezvous);
}

}  // namespace muster::remark
