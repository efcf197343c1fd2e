// One direction of a connection after both ends have proved the key: every frame carries a MAC over its
// number and its bytes, under a key of this connection and this direction. The receiver refuses a frame
// that was changed, left out, repeated, reordered, sent back or taken from another connection.
//
// Nothing is encrypted: what the frames say is not secret.
#pragma once

#include "secret/mac.hpp"

#include <cstdint>
#include <string_view>

namespace muster::secret {

class Seal {
 public:
  // `sender` names the end that sends in this direction. The nonces are those used in the proofs: the one
  // chosen by the connecting end, and the one chosen by the listening end.
  Seal(const Key& key, std::string_view sender, Part client_nonce, Part server_nonce);

  // The MAC of the next frame, which consists of these pieces. The receiver must know from the first
  // bytes where each piece ends.
  Mac next(const Parts& pieces);

  // Whether `mac` is that of the next frame. After a wrong one, the connection must not be used any more.
  [[nodiscard]] bool accepts(Part mac, const Parts& pieces);

 private:
  Key key_;
  std::uint64_t frames_ = 0;  // so far
};

}  // namespace muster::secret
