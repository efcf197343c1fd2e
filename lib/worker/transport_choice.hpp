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

// PMIx if the PMIX_* variables belong to this step. Otherwise TCP if there are several ranks and rank 0's
// address is known. Otherwise single if there is one rank. Otherwise throws Error (environment) that says
// what to do.
Choice choose_transport(const Environment& environment, muster_transport asked);

}  // namespace muster::worker
