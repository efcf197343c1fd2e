// `srun -N3 -n6` gives 4, 1 and 1 tasks: Slurm puts one task on each node, then fills the first.
#pragma once

#include "core/environment.hpp"
#include "core/layout/numbering.hpp"

#include <string>

namespace muster::layout {
struct Layout;
}

namespace muster::remark {

// A line for nodes whose numbers of tasks differ by more than they must. Empty where the user has
// chosen them: by --ntasks-per-node, by a distribution that packs or lists, by components.
std::string uneven_tasks(const layout::Layout& layout, const layout::RankNumbering& step,
                         const Environment& environment);

}  // namespace muster::remark
