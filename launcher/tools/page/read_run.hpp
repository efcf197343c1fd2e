// Reads what a run has left, within bounds: of the ranks' files only sizes, times and a few ends.
#pragma once

#include "core/page/run.hpp"
#include "launcher/tools/page/run_place.hpp"

namespace muster::page {

// What cannot be read is one of the run's problems. The page's URLs of files are relative to the directory
// that the user named; without `links` there are none.
Run read_run(const RunPlace& place, bool links);

}  // namespace muster::page
