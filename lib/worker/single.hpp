// The transport of a process that is the only rank: it sends nothing and waits for nothing.
#pragma once

#include "worker/transport.hpp"

#include <memory>

namespace muster::worker {

std::unique_ptr<Transport> make_single_transport(RankInfo info);

}  // namespace muster::worker
