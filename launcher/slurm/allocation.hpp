// The allocation in which the attempts' steps run, as this process finds it and as Slurm has it now.
#pragma once

#include "core/environment.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::slurm {

struct Allocation {
  std::string job;                 // its ID
  std::vector<std::string> nodes;  // in Slurm's order; empty where only the job is known
  std::string batch_host;          // empty where this is no batch job's script
  // Nodes on which Slurm has given the job no cores: the last one of a job that another one enlarged.
  std::vector<std::string> without_cores = {};
  std::string name = {};  // for keep_only(); empty until Slurm has been asked

  friend bool operator==(const Allocation&, const Allocation&) = default;
};

// What scontrol may print about a job: its line has all of its nodes and options.
inline constexpr std::size_t max_job_bytes = 1048576;

// From Slurm's variables, as they were when the allocation began; nothing outside an allocation. In a
// batch script this is the batch host: there Slurm names the node, and no step. Not in a script that a
// step's task has submitted, which inherits that step's variables; ask_allocation() knows better. Throws
// Error for a node list that Slurm cannot have written.
std::optional<Allocation> current_allocation(const Environment& environment);

// From the line of `scontrol --details --oneliner show job`: the nodes that the job has now, and its
// batch host if it has a batch script. Nothing where the text is of no job, or of one without nodes.
std::optional<Allocation> allocation_of(std::string_view line);

// One call of scontrol, about the job with that number; nothing where it does not answer in time.
std::optional<Allocation> ask_allocation(const std::string& job, std::chrono::milliseconds timeout);

}  // namespace muster::slurm
