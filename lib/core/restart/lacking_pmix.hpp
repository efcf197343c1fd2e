// A launch that failed because a node lacks the libpmix that Slurm's PMIx plugin needs there: slurmstepd then
// ends before it starts any task, or any plugin that could say why. Slurm reports only a failed launch. Pure.
#pragma once

#include "core/report/record.hpp"

namespace muster::restart {

// Whether the attempt may have failed for that reason: Slurm had created the step, but could not launch it,
// and nobody wanted it to end.
bool may_lack_pmix(const report::Record& record);

}  // namespace muster::restart
