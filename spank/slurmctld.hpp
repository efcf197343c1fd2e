// What only slurmctld knows of a step: asked once, by srun, through the libslurm that srun carries.
#pragma once

#include "spank/slurm_api.hpp"

#include <cstdint>
#include <optional>

namespace muster::spank {

// `components`: of how many srun has parsed options; 1 for any but a heterogeneous step. Nothing
// where slurmctld does not answer, or knows of another number. Waits as long as Slurm's own calls do.
std::optional<StepLayout> layout_from_slurmctld(std::uint32_t job_id, std::uint32_t step_id,
                                                std::uint32_t components);

}  // namespace muster::spank
