// Exempts an address from the proxy that the user exported, for gRPC's connections.
#pragma once

#include "core/environment.hpp"

#include <string>
#include <string_view>

namespace muster::plan {

// The user's own exceptions plus the address; empty if gRPC would not use a proxy.
std::string no_proxy(const Environment& user_environment, std::string_view address);

}  // namespace muster::plan
