// The meaning of libpmix's status numbers here: a status of muster and a text for people.
#pragma once

#include "muster/muster.h"
#include "worker/pmix/api.hpp"

#include <string>

namespace muster::worker::pmix {

// For a fence that failed: the death of a peer, Slurm's own time limit, or PMIx itself.
muster_status status_of(Status status);

// "PMIx says LOST-CONNECTION (-61): a process or slurmstepd has gone away".
std::string status_text(const PmixApi& api, Status status);

// The same with what to do, for a PMIx_Init that failed.
std::string init_status_text(const PmixApi& api, Status status);

}  // namespace muster::worker::pmix
