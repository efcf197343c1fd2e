#include "launcher/channel/step/exchange_variables.hpp"

#include "core/rendezvous/port.hpp"
#include "wire/variables.hpp"

#include <fmt/format.h>
#include <sodium.h>

namespace muster::step {
namespace {

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string exchange_key_of_step(const channel::StepKey& key, const std::string& run_id) {
  static_assert(channel::step_key_bytes == crypto_auth_hmacsha512256_KEYBYTES);
  static_assert(channel::step_key_bytes == crypto_auth_hmacsha512256_BYTES);
  if (key == channel::StepKey{}) return {};
  const auto purpose = fmt::format("muster exchange of step {}", run_id);
  channel::StepKey derived{};
  crypto_auth_hmacsha512256(derived.data(), bytes_of(purpose), purpose.size(), key.data());
  return channel::to_hex(derived);
}

std::string exchange_key_of_user(const os::UserSecret& secret, std::string_view context) {
  static_assert(channel::step_key_bytes == crypto_generichash_BYTES);
  static_assert(os::user_secret_bytes == crypto_generichash_KEYBYTES);
  const auto purpose = fmt::format("muster exchange 1\n{}", context);
  channel::StepKey derived{};
  crypto_generichash(derived.data(), derived.size(), bytes_of(purpose), purpose.size(),
                     secret.bytes.data(), secret.bytes.size());
  return channel::to_hex(derived);
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
