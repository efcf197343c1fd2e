// Slurm's run-length counts, as in SLURM_STEP_TASKS_PER_NODE: "2(x3),1" is 2, 2, 2, 1.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace muster::layout {

// Throws an Error that quotes the text for anything else, and for more nodes or tasks than muster can launch
// (max_hosts, wire::max_tasks).
std::vector<std::uint32_t> expand_task_counts(std::string_view text);

}  // namespace muster::layout
