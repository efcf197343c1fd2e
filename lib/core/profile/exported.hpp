// What the user exported for the variables of a profile.
#pragma once

#include "core/environment.hpp"
#include "core/rendezvous/exported_address.hpp"

#include <vector>

namespace muster::profile {

struct Profile;

// Those of the profile's variables that contain nothing but where the ranks meet, with the user's values.
std::vector<rendezvous::ExportedAddress> exported_addresses(const Profile& profile,
                                                            const Environment& environment);

// Unsets the profile's variables that are empty although an empty value means nothing: those that identify a
// task, and those that contain where the ranks meet. `export MASTER_ADDR=$(...)` sets an empty value if the
// command fails.
void drop_empty(const Profile& profile, Environment& environment);

}  // namespace muster::profile
