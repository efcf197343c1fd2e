#include "secret/key.hpp"

#include <sodium.h>

namespace muster::secret {

// sodium_init() also chooses the fastest BLAKE2b for this CPU.
void randomize(void* bytes, std::size_t size) {
  if (sodium_init() < 0)
    throw Error("libsodium found no source of random numbers; is /dev mounted?");
  randombytes_buf(bytes, size);
}

Key make_key() {
  Key key;
  randomize(key.data(), key.size());
  return key;
}

std::string to_hex(const Key& key) {
  std::string text(2 * key.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), key.data(), key.size());
  text.pop_back();
  return text;
}

std::optional<Key> key_from_hex(std::string_view text) {
  Key key;
  std::size_t size = 0;
  const char* end = nullptr;
  const int failed =
      sodium_hex2bin(key.data(), key.size(), text.data(), text.size(), nullptr, &size, &end);
  const bool whole = failed == 0 && size == key.size() && end == text.data() + text.size();
  return whole ? std::optional(key) : std::nullopt;
}

}  // namespace muster::secret
