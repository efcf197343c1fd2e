#include "launcher/tools/exec/exchange.hpp"

#include "core/profile/profile.hpp"
#include "core/rendezvous/port_candidates.hpp"
#include "core/request/request.hpp"
#include "core/site/config.hpp"
#include "launcher/channel/step/exchange_variables.hpp"
#include "launcher/channel/step/facts.hpp"
#include "launcher/os/user_secret.hpp"
#include "wire/variables.hpp"

#include <fmt/format.h>

namespace muster::exec {

rendezvous::Port exchange_port(const Environment& environment, const request::Request& request,
                               const site::Config& config, const profile::Profile& profile,
                               const rendezvous::StepName& step, rendezvous::Port taken) {
  if (profile.mode != profile::Mode::rank || environment.contains(wire::exchange_variable))
    return 0;
  const auto candidates =
      exchange_port_candidates(step::port_sources_of(environment, request, config), step, taken);
  return candidates.empty() ? rendezvous::Port{0} : candidates.front();
}

Exchange exchange(const Environment& environment, const std::string& address, rendezvous::Port port,
                  const std::string& run_id) {
  if (port == 0) return {};
  const step::ExchangePlace place{address, port};
  if (environment.contains(wire::exchange_key_variable)) {
    return {step::exchange_variables(place, {}), {}};
  }
  try {
    const auto key = step::exchange_key_of_user(os::user_secret(environment), run_id);
    return {step::exchange_variables(place, key), {}};
  } catch (const secret::Error& error) {
    return {step::exchange_variables(place, {}),
            fmt::format("no key for the exchange between the ranks: {}", error.what())};
  }
}

}  // namespace muster::exec
