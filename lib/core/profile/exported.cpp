#include "core/profile/exported.hpp"

#include "core/profile/profile.hpp"

namespace muster::profile {

std::vector<rendezvous::ExportedAddress> exported_addresses(const Profile& profile,
                                                            const Environment& environment) {
  std::vector<rendezvous::ExportedAddress> found;
  for (const auto& [name, value] : profile.environment) {
    if (!value.is_only(Placeholder::master_addr) && !value.is_only(Placeholder::rendezvous))
      continue;
    const auto& users = environment.get(name);
    if (!users.empty()) found.push_back({.name = name, .value = users});
  }
  return found;
}

void drop_empty(const Profile& profile, Environment& environment) {
  for (const auto& [name, value] : profile.environment) {
    const bool needs_value = value.identity() || value.uses(Placeholder::master_addr) ||
                             value.uses(Placeholder::master_port) ||
                             value.uses(Placeholder::rendezvous);
    if (needs_value && environment.get(name).empty()) environment.unset(name);
  }
}

}  // namespace muster::profile
