#include "launcher/channel/step/exchange_variables.hpp"

#include "core/rendezvous/endpoint.hpp"
#include "secret/mac.hpp"
#include "wire/variables.hpp"

namespace muster::step {
std::string exchange_key_of_step(const secret::Key& key, const std::string& run_id) {
  if (key == secret::Key{}) return {};
  return secret::to_hex(secret::derive_key(key, {"exchange of a step", run_id}));
}

std::string exchange_key_of_user(const secret::Key& secret, std::string_view context) {
  return secret::to_hex(secret::derive_key(secret, {"exchange of a user", context}));
}

std::vector<wire::Assignment> exchange_variables(const ExchangePlace& place,
                                                 const std::string& key) {
  if (place.port == 0) return {};
  std::vector<wire::Assignment> variables{
      {wire::exchange_variable, rendezvous::endpoint_text(place.address, place.port)}};
  if (!key.empty()) variables.push_back({wire::exchange_key_variable, key});
  return variables;
}

}  // namespace muster::step
