// Ranks reach each other through the PMIx server in each node's slurmstepd, which srun --mpi=pmix provides.
//
// In each phase, a rank puts its record with PMIx_Put under a key that no earlier phase used, calls
// PMIx_Commit, joins a collecting fence under our own time limit, and calls PMIx_Get for each rank that it
// reads. Putting the same key again would be cheaper, because every fence sends all keys again. But then
// other ranks read the old value with PMIx 5, and either value with PMIx 4.2. So phases are counted, and
// their number is limited.
#pragma once

#include "muster/muster.h"
#include "worker/environment.hpp"
#include "worker/pmix/api.hpp"
#include "worker/transport.hpp"

#include <memory>

namespace muster::worker::pmix {

// Joins the step's PMIx; waits for no other rank. Throws Error.
std::unique_ptr<Transport> make_pmix_transport(const Environment& environment,
                                               muster_numbering numbering,
                                               const Deadline& deadline);

// Likewise, with a given libpmix, which must outlive the transport.
std::unique_ptr<Transport> make_transport(const PmixApi& api, const Environment& environment,
                                          muster_numbering numbering, const Deadline& deadline);

// How many phases a step of this size may have. PMIx keeps everything that it was ever given, and each
// slurmstepd receives all of it in each phase, so the amount grows with the square of the number of phases.
std::uint32_t max_phases(int size);

}  // namespace muster::worker::pmix
