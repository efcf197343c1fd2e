// Two ends prove to each other that they belong to one step: each answers the other's nonce under
// the step's key. The two directions sign under different names, so neither answer can be used as
// the other, and a fresh nonce on both sides makes a recorded one worthless.
#pragma once

#include "worker/tcp/bytes.hpp"

#include <array>
#include <string_view>

namespace muster::worker::tcp {

inline constexpr std::size_t key_bytes = 32;
inline constexpr std::size_t nonce_bytes = 32;
inline constexpr std::size_t proof_bytes = 32;

// All zero where the launcher gave none: then it proves nothing, and only the job's name is
// compared.
using Key = std::array<unsigned char, key_bytes>;
using Nonce = std::array<std::byte, nonce_bytes>;
using Proof = std::array<std::byte, proof_bytes>;

Nonce make_nonce();

// Of rank 0 and of any other rank, over everything that they say of themselves.
inline constexpr std::string_view server_role = "muster exchange 1: rank 0";
inline constexpr std::string_view client_role = "muster exchange 1: another rank";

Proof prove(const Key& key, std::string_view role, const Nonce& theirs, const Nonce& mine,
            View said);
bool proves(View proof, const Key& key, std::string_view role, const Nonce& theirs,
            const Nonce& mine, View said);

}  // namespace muster::worker::tcp
