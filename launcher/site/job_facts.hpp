// Collects what the site's rules may ask about the job to which this process belongs.
#pragma once

#include "core/environment.hpp"
#include "core/site/conditions.hpp"

#include <filesystem>
#include <string>

namespace muster::site {

// Taken from the variables that Slurm sets for a job or a step, and from this process's groups.
RuleFacts facts_of_job(const Environment& environment, std::string features = {});

// Likewise on one of the job's nodes, adding what the node's kernel reports. `root` is /.
RuleFacts facts_of_node(RuleFacts job, const std::filesystem::path& root = "/");

}  // namespace muster::site
