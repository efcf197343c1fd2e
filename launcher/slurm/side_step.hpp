// A short step that muster runs next to whatever runs in a job: one task on each of the nodes, whose output
// carries their answers. See core/slurm/node_answers.hpp.
#pragma once

#include "core/environment.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::slurm {

struct SideStep {
  std::string srun;
  std::string job;
  std::string name;  // the step's name in squeue
  std::span<const std::string> nodes;
  std::optional<std::uint32_t> het_group = {};  // the group, if `job` leads a heterogeneous job
};

// The command up to the program. It removes all of Slurm's variables that describe a job or another step,
// and all of muster's, as far as `environment` contains them. Pure.
std::vector<std::string> side_step_words(const SideStep& step, const Environment& environment);

// Only srun's own arguments, for another component after a ':'. Pure.
std::vector<std::string> side_step_options(const SideStep& step);

// `env` and the words that remove those variables. Pure.
std::vector<std::string> clean_environment_words(const Environment& environment);

struct StepBounds {
  std::chrono::milliseconds timeout;  // from srun's start to its end
  std::size_t max_bytes;
  int interrupt = -1;  // a descriptor that ends the step once it is readable
  // The last part of `timeout`, in which srun cancels a step that has not ended.
  std::chrono::milliseconds cancel_timeout{300};
};

// Runs such a command as a child and returns what srun and the nodes have printed. A node that does not
// answer in time costs only its own answer.
std::string run_on_nodes(const std::vector<std::string>& command, const StepBounds& bounds);

}  // namespace muster::slurm
