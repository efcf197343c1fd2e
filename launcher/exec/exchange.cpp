#include "launcher/exec/exchange.hpp"

#include "core/error.hpp"
#include "launcher/os/user_secret.hpp"
#include "launcher/step/exchange_variables.hpp"
#include "launcher/step/facts.hpp"
#include "wire/variables.hpp"

#include <fmt/format.h>

namespace muster::exec {

Port exchange_port(const Environment& environment, const Request& request, const Config& config,
                   const Profile& profile, const StepName& step, Port taken) {
  if (profile.mode != Mode::rank || environment.contains(wire::exchange_variable)) return 0;
  const auto candidates =
      exchange_port_candidates(agent::port_sources_of(environment, request, config), step, taken);
  return candidates.empty() ? Port{0} : candidates.front();
}

Exchange exchange(const Environment& environment, const std::string& address, Port port,
                  const std::string& run_id) {
  if (port == 0) return {};
  const agent::ExchangePlace place{address, port};
  if (environment.contains(wire::exchange_key_variable)) {
    return {agent::exchange_variables(place, {}), {}};
  }
  try {
    const auto secret = user_secret(user_secret_path(environment));
    return {agent::exchange_variables(place, agent::exchange_key_of_user(secret, run_id)), {}};
  } catch (const Error& error) {
    return {agent::exchange_variables(place, {}),
            fmt::format("the worker library's exchange has no key: {}", error.what())};
  }
}

}  // namespace muster::exec
