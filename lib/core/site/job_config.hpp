// The site's file as one job sees it. Pure.
#pragma once

#include "core/site/config.hpp"
#include "core/site/job_rules.hpp"

namespace muster::site {

// The rules that match become part of the defaults and the policy. Of several that set a key the first one
// counts; it comes before the general value. What rules forbid adds up.
Config for_job(Config config, const RuleFacts& facts);

}  // namespace muster::site
