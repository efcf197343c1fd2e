// Ranks reach each other over TCP through rank 0: for steps without PMIx, under torchrun, and in environments
// set up by hand.
#pragma once

#include "muster/muster.h"
#include "worker/deadline.hpp"
#include "worker/environment.hpp"
#include "worker/transport.hpp"

#include <memory>

namespace muster::worker::tcp {

// Rank 0 listens from now on; the others connect in their first exchange, so this waits for no other rank.
// local_ranks() and node_of() know only what exchanges have brought. Throws Error.
std::unique_ptr<Transport> make_tcp_transport(const Environment& environment,
                                              muster_numbering numbering, const Deadline& deadline);

}  // namespace muster::worker::tcp
