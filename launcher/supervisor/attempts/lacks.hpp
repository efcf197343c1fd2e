// What this site or job lacks for outliving a node. Pure.
#pragma once

#include "core/slurm/config.hpp"

#include <chrono>
#include <string>

namespace muster::attempts {

// A line for the user, said before the first attempt. Empty where nothing is known to be missing.
std::string lacks(const slurm::Config& config, std::chrono::seconds heartbeat);

}  // namespace muster::attempts
