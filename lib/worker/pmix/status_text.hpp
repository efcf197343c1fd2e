// What libpmix's status numbers mean here: a status of muster, and a text for people.
#pragma once

#include "muster/muster.h"
#include "worker/pmix/api.hpp"

#include <string>

namespace muster::worker::pmix {

// For a failed fence: the death of a peer, Slurm's own time limit, or PMIx itself.
muster_status status_of(Status status);

// "PMIx says LOST-CONNECTION (-61): a process or slurmstepd is gone away".
std::string status_text(const PmixApi& api, Status status);

// Likewise for a failed PMIx_Init, with what to do about it.
std::string init_status_text(const PmixApi& api, Status status);

}  // namespace muster::worker::pmix
