// `srun -N3 -n6` yields 4, 1 and 1 tasks: Slurm puts one task on each node, then fills the first.
#pragma once

#include "core/environment.hpp"
#include "core/layout/numbering.hpp"

#include <string>

namespace muster::layout {
struct Layout;
}

namespace muster::remark {

// The remark for nodes whose numbers of tasks differ more than necessary. Empty if the user chose them:
// with --ntasks-per-node, with a distribution that packs or lists, or with components.
std::string uneven_tasks(const layout::Layout& layout, const layout::RankNumbering& step,
                         const Environment& environment);

}  // namespace muster::remark
