// What this site or job lacks to survive the loss of a node. Pure.
#pragma once

#include "core/slurm/config.hpp"

#include <chrono>
#include <string>

namespace muster::attempts {

// Returns one line for the user, which is shown before the first attempt; empty if nothing is known to be
// missing.
std::string missing_prerequisites(const slurm::Config& config, std::chrono::seconds heartbeat);

}  // namespace muster::attempts
