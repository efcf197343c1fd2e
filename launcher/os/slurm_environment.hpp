// Which variables shape what srun does.
#pragma once

#include <string_view>

namespace muster::os {

// Of Slurm's and muster's variables, from most of which srun and its plugins take options. Not those that
// say which Slurm it is.
bool shapes_a_step(std::string_view name);

}  // namespace muster::os
