#include "secret/mac.hpp"

#include "secret/hash.hpp"

namespace muster::secret {
namespace {

std::array<unsigned char, 4> length_of(const Part& part) {
  const auto size = part.size();
  const auto byte = [size](int shift) { return static_cast<unsigned char>(size >> shift); };
  return {byte(24), byte(16), byte(8), byte(0)};
}

Hash hash_with_lengths(const Key& key, const Parts& parts) {
  Hash hash(key);
  for (const auto& part : parts) hash.add(length_of(part)).add(part);
  return hash;
}

}  // namespace

Mac sign(const Key& key, const Parts& parts) {
  return hash_with_lengths(key, parts).result<std::byte>();
}

bool equals(const Mac& expected, Part mac) {
  return mac.size() == expected.size() &&
         sodium_memcmp(expected.data(), mac.data(), expected.size()) == 0;
}

Key derive_key(const Key& key, const Parts& parts) {
  return hash_with_lengths(key, parts).result<unsigned char>();
}

Digest digest(const Parts& pieces) {
  return Hash().add(pieces).result<std::byte>();
}

}  // namespace muster::secret
