// A short step of muster's own beside whatever runs in a job: one task on each of the nodes.
#pragma once

#include "core/environment.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::slurm {

struct SideStep {
  std::string srun;
  std::string job;
  std::string name;  // the step's in squeue
  std::span<const std::string> nodes;
  std::optional<std::uint32_t> het_group = {};  // of a heterogeneous job, whose leader `job` is
};

// The command up to the program. Of Slurm's variables in `environment`, which describe a job or another
// step, and of muster's none is left. Pure.
std::vector<std::string> side_step_words(const SideStep& step, const Environment& environment);

// srun's words alone: for another component after a ':'.
std::vector<std::string> side_step_options(const SideStep& step);

}  // namespace muster::slurm
