#include "core/profile/store_server.hpp"

#include "core/error.hpp"
#include "core/option/keys.hpp"
#include "core/profile/profile.hpp"
#include "core/request/request.hpp"

#include <fmt/format.h>

namespace muster::profile {
namespace {

constexpr const char* variable = "TORCHELASTIC_USE_AGENT_STORE";

}  // namespace

StoreServer store_server(const request::Request& request, const Profile& profile,
                         const Environment& environment) {
  const auto origin = source(request, option::Key("store")).origin;
  if (!uses(profile, Placeholder::agent_store)) {
    if (origin != Origin::option || request.store != option::Store::agent) return {};
    throw Error(fmt::format(
        "store=agent: programs of profile {} do not use a store that muster could serve; leave "
        "store= out",
        profile.name));
  }
  if (const auto* const users = environment.if_set(variable))
    return {*users == "True" ? option::Store::agent : option::Store::rank0, Origin::user};
  if (origin != Origin::default_) return {request.store, origin};
  return {profile.store.value_or(request.store), Origin::profile};
}

}  // namespace muster::profile
