// Reads what a run has left behind, within limits: for the ranks' files, only sizes, times and the ends of a
// few.
#pragma once

#include "core/page/run.hpp"
#include "launcher/tools/page/run_place.hpp"

namespace muster::page {

// Adds whatever cannot be read to the run's problems. The page's links to files are relative to the
// directory that the user named; without `links` there are none.
Run read_run(const RunPlace& place, bool links);

}  // namespace muster::page
