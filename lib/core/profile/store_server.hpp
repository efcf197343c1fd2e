// Which process serves torch's store: muster's agent or rank 0. Pure.
#pragma once

#include "core/environment.hpp"
#include "core/option/value_types.hpp"
#include "core/origin.hpp"

namespace muster::request {
struct Request;
}

namespace muster::profile {

struct Profile;

struct StoreServer {
  option::Store store = option::Store::rank0;
  Origin origin = Origin::profile;

  [[nodiscard]] bool is_agent() const { return store == option::Store::agent; }
};

// The user's TORCHELASTIC_USE_AGENT_STORE decides, then store=, then the profile. Rank 0, or whatever else
// the program has, if the profile does not tell the ranks about it. Throws Error if the user wants the
// agent nevertheless.
StoreServer store_server(const request::Request& request, const Profile& profile,
                         const Environment& environment);

}  // namespace muster::profile
