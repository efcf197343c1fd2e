// The time limit that the user gave this srun. In an allocation it is the step's own limit, and Slurm does
// not show it afterwards.
#pragma once

#include "core/environment.hpp"
#include "core/srun/command.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace muster::srun {

// "90", "90:00", "1:30:00", "0-1", "0-1:30" or "0-1:30:00", in whole minutes as Slurm rounds them. No value
// if there is no limit, or if Slurm refuses the text. Pure.
std::optional<std::chrono::minutes> time_limit(std::string_view text);

// From -t, --time or SLURM_TIMELIMIT. Pure.
std::optional<std::chrono::minutes> chosen_time_limit(const Environment& environment,
                                                      const Command& command);

}  // namespace muster::srun
