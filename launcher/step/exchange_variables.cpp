#include "launcher/agent/exchange_variables.hpp"

#include "wire/variables.hpp"

#include <fmt/format.h>
#include <sodium.h>

namespace muster::agent {
namespace {

std::string derived_key(const StepKey& key, const std::string& run_id) {
  static_assert(step_key_bytes == crypto_auth_hmacsha512256_KEYBYTES);
  const auto purpose = fmt::format("muster exchange of step {}", run_id);
  std::array<unsigned char, crypto_auth_hmacsha512256_BYTES> derived{};
  crypto_auth_hmacsha512256(derived.data(), reinterpret_cast<const unsigned char*>(purpose.data()),
                            purpose.size(), key.data());
  std::string text(2 * derived.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), derived.data(), derived.size());
  text.pop_back();
  return text;
}

}  // namespace

std::vector<wire::Assignment> exchange_variables(const ExchangePlace& place, const StepKey& key,
                                                 const std::string& run_id) {
  const bool v6 = place.address.find(':') != std::string::npos;
  std::vector<wire::Assignment> variables{
      {wire::exchange_variable, v6 ? fmt::format("[{}]:{}", place.address, place.port)
                                   : fmt::format("{}:{}", place.address, place.port)}};
  if (key != StepKey{}) {
    variables.push_back({wire::exchange_key_variable, derived_key(key, run_id)});
  }
  return variables;
}

}  // namespace muster::agent
