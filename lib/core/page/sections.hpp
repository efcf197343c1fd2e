// The page's sections. Each is HTML without its heading; empty if there is nothing to show.
#pragma once

#include "core/page/run.hpp"

#include <string>

namespace muster::page {

// Did it end well, what failed first and where, how long did it take, and what to do next.
std::string summary_of(const Run& run);

std::string attempts_of(const Run& run);    // on a timeline
std::string failures_of(const Run& run);    // with stacks, the newest attempt's first
std::string nodes_of(const Run& run);       // ranks by node, with the final state of each
std::string time_of(const Run& run);        // effective time
std::string bindings_of(const Run& run);    // pictures of which rank had which CPUs
std::string start_of(const Run& run);       // from the launch until all ranks had met
std::string output_of(const Run& run);      // how much each rank wrote
std::string preflights_of(const Run& run);  // what the preflights found
std::string notes_of(const Run& run);       // warnings of the plan, and remarks of the nodes

}  // namespace muster::page
