#include "worker/tcp/proof.hpp"

#include "worker/error.hpp"

#include <sodium.h>

namespace muster::worker::tcp {

Nonce make_nonce() {
  if (sodium_init() < 0) {
    throw Error{MUSTER_ERR_INTERNAL, "libsodium found no source of random numbers: is /dev there?"};
  }
  Nonce nonce;
  randombytes_buf(nonce.data(), nonce.size());
  return nonce;
}

Proof prove(const Key& key, std::string_view role, const Nonce& theirs, const Nonce& mine,
            View said) {
  static_assert(key_bytes == crypto_auth_KEYBYTES && proof_bytes == crypto_auth_BYTES);
  // Only the last part varies in length, so different parts never join to the same text.
  const auto text = Writer().name(role).raw(theirs).raw(mine).raw(said).take();
  Proof proof;
  crypto_auth(reinterpret_cast<unsigned char*>(proof.data()),
              reinterpret_cast<const unsigned char*>(text.data()), text.size(), key.data());
  return proof;
}

bool proves(View proof, const Key& key, std::string_view role, const Nonce& theirs,
            const Nonce& mine, View said) {
  const auto expected = prove(key, role, theirs, mine, said);
  return proof.size() == expected.size() &&
         sodium_memcmp(proof.data(), expected.data(), expected.size()) == 0;
}

}  // namespace muster::worker::tcp
