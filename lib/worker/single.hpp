// A process that is the only rank: nothing to send, nobody to wait for.
#pragma once

#include "worker/transport.hpp"

#include <memory>

namespace muster::worker {

std::unique_ptr<Transport> make_single_transport(RankInfo info);

}  // namespace muster::worker
