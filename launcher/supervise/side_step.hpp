// A short step of muster's own beside whatever runs in a job: one task on each of the nodes.
#pragma once

#include "core/environment.hpp"

#include <span>
#include <string>
#include <vector>

namespace muster::supervise {

struct SideStep {
  std::string srun;
  std::string job;
  std::string name;  // the step's in squeue
  std::span<const std::string> nodes;
};

// The command up to the program. Of Slurm's variables in `environment`, which describe a job or another
// step, and of muster's none is left. Pure.
std::vector<std::string> side_step_words(const SideStep& step, const Environment& environment);

}  // namespace muster::supervise
