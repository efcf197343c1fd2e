// Checks the assumptions of a profile about the step's layout.
#pragma once

#include "core/layout/numbering.hpp"
#include "core/profile/profile.hpp"

namespace muster::layout {
struct Layout;
}

namespace muster::profile {

// Throws Error for a layout that the profile cannot express.
void check_requirements(const Profile& profile, const layout::Layout& layout,
                        const layout::RankNumbering& step);

}  // namespace muster::profile
