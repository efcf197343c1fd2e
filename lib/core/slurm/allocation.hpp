// The allocation in which the attempts' steps run: what this process's environment says about it, and what
// Slurm says now. Pure.
#pragma once

#include "core/environment.hpp"
#include "core/slurm/job.hpp"

#include <optional>
#include <string>
#include <vector>

namespace muster::slurm {

struct Allocation {
  std::string job;                 // its number
  std::vector<std::string> nodes;  // in Slurm's order; empty if only the job is known
  std::string batch_host;          // empty outside a batch job's script
  // The nodes on which Slurm gave the job no cores: the last node of a job that was enlarged by another one.
  std::vector<std::string> without_cores = {};
  std::string component = {};      // Job::component; empty until Slurm has been asked
  std::uint32_t gpus_of_node = 0;  // likewise
  std::string step_manager = {};   // Job::step_manager

  friend bool operator==(const Allocation&, const Allocation&) = default;
};

// From Slurm's variables, which describe the allocation as it began; no value outside an allocation. In a
// batch script this host is the batch host: Slurm names the node there, but no step. Throws Error for a node
// list that Slurm cannot have written.
std::optional<Allocation> current_allocation(const Environment& environment);

// From the job as Slurm reports it now. No value for a job without nodes. Throws Error for a node list in an
// unknown form.
std::optional<Allocation> allocation_of(const Job& job);

}  // namespace muster::slurm
