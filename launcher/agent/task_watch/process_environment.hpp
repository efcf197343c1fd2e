// The environment with which a task's process has started its program, as /proc shows it.
#pragma once

#include "core/environment.hpp"

#include <filesystem>
#include <optional>
#include <string>

#include <sys/types.h>

namespace muster::task_watch {

// No value if the process still belongs to slurmstepd, if it is gone, or if it is not certain that it is the
// task of this step (MUSTER_STEP, "42.0") that Slurm started with this ID.
std::optional<Environment> started_environment(const std::filesystem::path& proc, pid_t pid,
                                               const std::string& step);

}  // namespace muster::task_watch
