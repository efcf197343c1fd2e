// Ranks reach each other by the PMIx server in each node's slurmstepd: what srun --mpi=pmix brings.
//
// One phase is one PMIx_Put of a rank's record under a key that no phase had before, PMIx_Commit, a
// collecting fence under our own time limit, and a PMIx_Get for each rank that is read. A key that
// is put again would be cheaper, as every fence sends all keys again, but what other ranks then
// read is the old value with PMIx 5, and with PMIx 4.2 either. So phases are counted, and few.
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

// The same with a libpmix at hand, which must outlive it.
std::unique_ptr<Transport> make_transport(const PmixApi& api, const Environment& environment,
                                          muster_numbering numbering, const Deadline& deadline);

// Phases that a step of this size may have. PMIx keeps what it was ever given and each slurmstepd
// is sent all of it in each phase: it grows with the square of their number.
std::uint32_t max_phases(int size);

}  // namespace muster::worker::pmix
