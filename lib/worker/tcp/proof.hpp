// Two ends prove to each other that they belong to one step: each authenticates the other's nonce
// with the step's key. The two directions use different role names, so that neither proof can stand
// in for the other; a fresh nonce on both sides makes a recorded proof worthless.
#pragma once

#include "worker/tcp/bytes.hpp"

#include <array>
#include <string_view>

namespace muster::worker::tcp {

inline constexpr std::size_t key_bytes = 32;
inline constexpr std::size_t nonce_bytes = 32;
inline constexpr std::size_t proof_bytes = 32;

// All zero where there is no key: then everybody can prove it, and only the job's name is compared.
using Key = std::array<unsigned char, key_bytes>;
using Nonce = std::array<std::byte, nonce_bytes>;
using Proof = std::array<std::byte, proof_bytes>;

Nonce make_nonce();

// The role names of rank 0 and of all other ranks.
inline constexpr std::string_view server_role = "muster exchange 2: rank 0";
inline constexpr std::string_view client_role = "muster exchange 2: another rank";

Proof prove(const Key& key, std::string_view role, const Nonce& theirs, const Nonce& mine,
            View said);
bool proves(View proof, const Key& key, std::string_view role, const Nonce& theirs,
            const Nonce& mine, View said);

}  // namespace muster::worker::tcp
