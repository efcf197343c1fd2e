// What the site's rules ask of the job that this process belongs to.
#pragma once

#include "core/environment.hpp"
#include "core/site/job_rules.hpp"

#include <string>

namespace muster::site {

// As Slurm has put it into the environment of a job or a step, and this process's own groups.
JobFacts facts_of_job(const Environment& environment, std::string features = {});

}  // namespace muster::site
