// Ranks reach each other over TCP through rank 0: for steps without PMIx, under torchrun and in
// hand-made environments.
#pragma once

#include "muster/muster.h"
#include "worker/deadline.hpp"
#include "worker/environment.hpp"
#include "worker/transport.hpp"

#include <memory>

namespace muster::worker {

// Rank 0 listens from now on; the others connect in their first exchange. So nobody waits here.
// local_ranks() and node_of() know from the first exchange on what it has told. Throws Error.
std::unique_ptr<Transport> make_tcp_transport(const Environment& environment,
                                              muster_numbering numbering, const Deadline& deadline);

}  // namespace muster::worker
