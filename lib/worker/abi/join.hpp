// From the environment to a Step: chooses the transport and creates it.
#pragma once

#include "muster/muster.h"
#include "worker/environment.hpp"
#include "worker/step.hpp"

#include <memory>

namespace muster::worker::abi {

// Throws Error.
std::unique_ptr<Step> join(const Environment& environment, const muster_options& options);

}  // namespace muster::worker::abi
