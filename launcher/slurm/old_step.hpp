// A step whose srun has ended may still hold its cores. The nodes report their end by the slurmd of the
// first one. If that has died meanwhile, its slurmstepd waits a minute for what could not reach it.
#pragma once

#include <chrono>
#include <string>

namespace muster::slurm {

// `step`: "42.0". Gives slurmctld so long to forget it. False as well where slurmctld does not answer.
bool step_remains(const std::string& step, std::chrono::milliseconds patience);

}  // namespace muster::slurm
