#include "secret/seal.hpp"

#include "secret/hash.hpp"

namespace muster::secret {

Seal::Seal(const Key& key, std::string_view sender, Part client_nonce, Part server_nonce)
    : key_(derive_key(key, {"sealed frames", sender, client_nonce, server_nonce})) {}

Mac Seal::next(const Parts& pieces) {
  std::array<unsigned char, sizeof frames_> number;
  auto rest = frames_++;
  for (auto& byte : number) {
    byte = static_cast<unsigned char>(rest);
    rest >>= 8;
  }
  return Hash(key_).add(number).add(pieces).result<std::byte>();
}

bool Seal::accepts(Part mac, const Parts& pieces) {
  return equals(next(pieces), mac);
}

}  // namespace muster::secret
