// What the site's rules ask of the job that this process belongs to.
#pragma once

#include "core/environment.hpp"
#include "core/site/conditions.hpp"

#include <filesystem>
#include <string>

namespace muster::site {

// As Slurm has put it into the environment of a job or a step, and this process's own groups.
RuleFacts facts_of_job(const Environment& environment, std::string features = {});

// The same of a process on one of the job's nodes, with what the node's kernel says. `root` is /.
RuleFacts facts_of_node(RuleFacts job, const std::filesystem::path& root = "/");

}  // namespace muster::site
