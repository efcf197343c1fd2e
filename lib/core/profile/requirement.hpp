// What a profile takes for granted of a step's layout, checked.
#pragma once

#include "core/layout/layout.hpp"
#include "core/layout/numbering.hpp"
#include "core/profile/profile.hpp"

namespace muster::profile {

// Error for a layout that the profile cannot express.
void check_requirements(const Profile& profile, const layout::Layout& layout,
                        const layout::RankNumbering& step);

}  // namespace muster::profile
