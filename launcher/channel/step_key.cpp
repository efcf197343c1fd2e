#include "launcher/channel/step_key.hpp"

#include "core/error.hpp"

#include <sodium.h>

namespace muster::channel {

StepKey make_step_key() {
  if (sodium_init() < 0) throw Error("libsodium found no source of random numbers; is /dev there?");
  StepKey key{};
  randombytes_buf(key.data(), key.size());
  return key;
}

std::string to_hex(const StepKey& key) {
  std::string text(2 * key.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), key.data(), key.size());
  text.pop_back();
  return text;
}

std::optional<StepKey> step_key_from_hex(std::string_view text) {
  StepKey key{};
  std::size_t size = 0;
  const char* end = nullptr;
  const int failed =
      sodium_hex2bin(key.data(), key.size(), text.data(), text.size(), nullptr, &size, &end);
  const bool whole = failed == 0 && size == key.size() && end == text.data() + text.size();
  return whole ? std::optional(key) : std::nullopt;
}

}  // namespace muster::channel
