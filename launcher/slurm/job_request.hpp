// What a launch says about the job that it requests, before the job exists.
#pragma once

#include "core/environment.hpp"
#include "core/site/job_rules.hpp"
#include "core/srun/command.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace muster::slurm {

// Inside a job, returns the job's own facts. Before there is one, reads srun's options and variables. If they
// name no partition, it is the default one, for which slurmctld is asked only if `rules` need it. What
// remains unknown is empty; the nodes know it and check again.
site::RuleFacts requested_job(const srun::Command& command, const Environment& environment,
                              const std::vector<site::JobRule>& rules);

// Reads the lines of `scontrol --oneliner show partition`; empty if none is the default. Pure.
std::string default_partition(std::string_view lines);

}  // namespace muster::slurm
