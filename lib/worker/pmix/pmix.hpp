// Ranks reach each other through the PMIx server in each node's slurmstepd, which srun --mpi=pmix
// brings.
//
// One phase is one PMIx_Put of a rank's record under a key that no phase had before, PMIx_Commit, a
// collecting fence under our own time limit, and a PMIx_Get for each rank that is read. To put the
// same key again would be cheaper, as every fence sends all keys again. But then other ranks read
// the old value with PMIx 5, and either value with PMIx 4.2. So phases are counted, and few.
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

// The same with a given libpmix, which must outlive it.
std::unique_ptr<Transport> make_transport(const PmixApi& api, const Environment& environment,
                                          muster_numbering numbering, const Deadline& deadline);

// How many phases a step of this size may have. PMIx keeps everything that it was ever given, and
// each slurmstepd receives all of it in each phase: it grows with the square of their number.
std::uint32_t max_phases(int size);

}  // namespace muster::worker::pmix
