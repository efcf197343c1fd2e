// srun --test-only: srun estimates when its job would start, and requests nothing. Pure.
#pragma once

#include "core/environment.hpp"
#include "core/srun/command.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::srun {

bool is_test_only(const Command& command);

// srun's words for an estimate of the job that muster would request: with `spares` nodes more than the step
// has, and without muster. Throws Error like with_spares().
std::vector<std::string> estimate_command(const Command& command, const Environment& environment,
                                          std::uint32_t spares);

}  // namespace muster::srun
