// What a launch says of the job that it asks for, before there is one.
#pragma once

#include "core/environment.hpp"
#include "core/site/job_rules.hpp"
#include "core/srun/command.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace muster::slurm {

// Inside a job the job's own. Before one, what srun's options and its variables say; of a partition that
// nobody named, the default one as slurmctld knows it, which is asked only if `rules` need it. What stays
// unknown is empty: the nodes check it again, where it is known.
site::RuleFacts requested_job(const srun::Command& command, const Environment& environment,
                              const std::vector<site::JobRule>& rules);

// From the lines of `scontrol --oneliner show partition`; empty where none is the default. Pure.
std::string default_partition(std::string_view lines);

}  // namespace muster::slurm
