// This process becomes the supervisor: the same program, command line, directory and environment as the
// one that has died, and in addition what that one has left.
#pragma once

#include "core/slurm/job.hpp"
#include "launcher/supervisor/successor/inheritance.hpp"

#include <optional>

namespace muster::successor {

// Its output goes to the job's files from now on, if they are here. Throws Error if it cannot be started.
[[noreturn]] void take_over(const Inheritance& inheritance, const slurm::Job& job);

// In the new one: what was left, once. Nothing in every other process. Throws Error if it is damaged.
std::optional<Inheritance> take_inheritance();

}  // namespace muster::successor
