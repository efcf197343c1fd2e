// Whom a message blames, judged by the words of gloo, NCCL, torch's store, PMIx, MPI and muster's own
// library.
#pragma once

#include <cstdint>
#include <string_view>

namespace muster::report {

enum class Blame : std::uint8_t {
  nobody,
  peer,  // it says that another rank is gone
  self,  // it has the words of a lost peer, but also names a problem of the rank itself
};

Blame blame_in(std::string_view text);

// Whether an exception's message, or a line of standard error, blames a peer.
bool blames_peer(std::string_view text);

}  // namespace muster::report
