// The site's file as it applies to one job. Pure.
#pragma once

#include "core/site/config.hpp"
#include "core/site/job_rules.hpp"

namespace muster::site {

// Makes the rules that match part of the defaults and the policy. If several set a key, the first one counts;
// it overrides the general value. What the rules forbid accumulates.
Config for_job(Config config, const RuleFacts& facts);

}  // namespace muster::site
