// Which variables shape what srun does.
#pragma once

#include <string_view>

namespace muster::os {

// Whether a variable of Slurm's, muster's or pyxis's affects a step: srun and its plugins take options from
// most of them. False for those that only say which Slurm it is.
bool shapes_a_step(std::string_view name);

}  // namespace muster::os
