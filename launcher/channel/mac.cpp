#include "launcher/channel/mac.hpp"

#include "launcher/channel/framing.hpp"

#include <sodium.h>

namespace muster::channel {

static_assert(step_key_bytes == crypto_generichash_KEYBYTES);
static_assert(mac_bytes == crypto_generichash_BYTES);

Mac sign(const StepKey& key, std::initializer_list<std::string_view> parts) {
  crypto_generichash_state state;
  crypto_generichash_init(&state, key.data(), key.size(), mac_bytes);
  for (const auto part : parts) {
    const auto length = encode_length(part.size());
    crypto_generichash_update(&state, length.data(), length.size());
    crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(part.data()),
                              part.size());
  }
  Mac mac;
  crypto_generichash_final(&state, mac.data(), mac.size());
  return mac;
}

bool equals(const Mac& expected, const void* mac) {
  return sodium_memcmp(expected.data(), mac, expected.size()) == 0;
}

}  // namespace muster::channel
