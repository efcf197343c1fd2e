#include "core/plan/no_proxy.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace muster::plan {

std::string no_proxy(const Environment& user_environment, std::string_view address) {
  // gRPC reads these variables in this spelling only.
  constexpr std::array<std::string_view, 3> proxies{"grpc_proxy", "https_proxy", "http_proxy"};
  const bool proxied =
      std::ranges::any_of(proxies, [&](auto name) { return !user_environment.get(name).empty(); });
  if (!proxied) return {};
  // For gRPC, no_grpc_proxy replaces no_proxy, so it must include no_proxy's value.
  const auto users = user_environment.get("no_proxy");
  return users.empty() ? std::string(address) : fmt::format("{},{}", users, address);
}

}  // namespace muster::plan
