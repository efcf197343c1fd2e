// After the proofs each frame ends with a tag, a MAC of its number and its contents. The key is of
// this connection and this direction: so a frame that was changed, left out, repeated, put in
// another place, sent back or taken from another connection is refused.
//
// What the frames say is not secret, and so it is not encrypted.
#pragma once

#include "worker/tcp/proof.hpp"

#include <cstdint>
#include <initializer_list>

namespace muster::worker::tcp {

inline constexpr std::size_t tag_bytes = 32;
using Tag = std::array<std::byte, tag_bytes>;
using Digest = std::array<std::byte, 32>;

// One direction of one connection, at either end.
class Seal {
 public:
  // `role`: of the sender. The nonces are those of the proofs.
  Seal(const Key& key, std::string_view role, const Nonce& client, const Nonce& server);

  // For the next frame, which consists of these parts. The receiver must know from the first where
  // each of them ends.
  Tag next(std::initializer_list<View> parts);

  // Throws Garbled unless this is the tag of the next frame.
  void check(View tag, std::initializer_list<View> parts);

 private:
  Key key_{};
  std::uint64_t frames_ = 0;  // so far
};

// A digest stands for what is too long, or sent too often, to be in a MAC itself.
Digest digest_of(std::initializer_list<View> parts);

}  // namespace muster::worker::tcp
