// The step to which this process belongs, according to its variables.
#pragma once

#include "core/environment.hpp"
#include "core/text/number.hpp"

#include <cstdint>

namespace muster::slurm {

// The steps of batch scripts, of salloc's shells and the like have numbers from here on (slurm.h), or
// negative ones in variables.
inline constexpr std::uint32_t first_special_step = 0xffff'fff0;

// In a job: whether this process belongs to a step that srun has started for the user.
inline bool is_task(const Environment& environment) {
  const auto step = text::number<std::uint32_t>(environment.get("SLURM_STEP_ID"));
  return step && *step < first_special_step;
}

}  // namespace muster::slurm
