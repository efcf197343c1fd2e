// Which transport this process uses, decided from its environment alone.
#pragma once

#include "muster/muster.h"
#include "worker/environment.hpp"

#include <string>

namespace muster::worker {

struct Choice {
  muster_transport transport = MUSTER_TRANSPORT_SINGLE;
  std::string why;  // for messages
};

// PMIx when the PMIX_* variables are those of this step; else TCP when there are more ranks than
// one and an address of rank 0; else alone when there is one rank. Throws Error (environment) that
// says what to do.
Choice choose_transport(const Environment& environment, muster_transport asked);

}  // namespace muster::worker
