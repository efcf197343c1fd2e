// What only slurmctld knows about a step. srun asks once, through the libslurm that it contains.
#pragma once

#include "spank/slurm_api.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace muster::spank {

// `components`: the number of components whose options srun has parsed; 1 unless the step is heterogeneous.
// No value if slurmctld does not answer or knows a different number. Waits as long as Slurm's own calls do.
std::optional<StepLayout> layout_from_slurmctld(std::uint32_t job_id, std::uint32_t step_id,
                                                std::uint32_t components);

// The site's MpiDefault, from the configuration that srun itself has read, without asking slurmctld. Empty
// if this process is not srun.
std::string mpi_default_of_srun();

}  // namespace muster::spank
