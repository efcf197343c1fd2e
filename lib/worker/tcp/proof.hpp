// Two ends prove to each other that they belong to one step: each signs the other's nonce with the
// step's key. The two directions use different role names, so that neither proof can stand in for the
// other. A fresh nonce on both sides makes a recorded proof worthless. After the proofs each frame ends
// with a tag, the MAC of one direction's secret::Seal.
#pragma once

#include "secret/seal.hpp"
#include "worker/tcp/bytes.hpp"

#include <array>
#include <string_view>

namespace muster::worker::tcp {

inline constexpr std::size_t nonce_bytes = 32;
inline constexpr std::size_t proof_bytes = secret::mac_bytes;
inline constexpr std::size_t tag_bytes = secret::mac_bytes;

// All zero if there is no key: then any process can prove it, and only the job's name is compared.
using Key = secret::Key;
using Nonce = std::array<std::byte, nonce_bytes>;
using Proof = secret::Mac;

// Throws secret::Error if the system has no source of random numbers.
inline Nonce make_nonce() {
  Nonce nonce;
  secret::randomize(nonce.data(), nonce.size());
  return nonce;
}

// The role names of rank 0 and of all other ranks.
inline constexpr std::string_view server_role = "muster exchange: rank 0";
inline constexpr std::string_view client_role = "muster exchange: another rank";

inline Proof prove(const Key& key, std::string_view role, const Nonce& theirs, const Nonce& mine,
                   View said) {
  return secret::sign(key, {role, theirs, mine, said});
}

inline bool proves(View proof, const Key& key, std::string_view role, const Nonce& theirs,
                   const Nonce& mine, View said) {
  return secret::equals(prove(key, role, theirs, mine, said), proof);
}

// Throws Garbled unless this is the tag of the direction's next frame.
inline void check_tag(secret::Seal& incoming, View tag, const secret::Parts& pieces) {
  if (!incoming.accepts(tag, pieces)) {
    throw Garbled("a frame with a wrong MAC, so the frame was changed in transit");
  }
}

}  // namespace muster::worker::tcp
