// plugstack.conf may name the plugin twice: one file in two lines, or two installations. The copy of
// the first line works, and the other does nothing.
#pragma once

#include <string>

namespace muster::spank {

// The path of the copy that this process loaded first, or nothing where it is this one. Looks only
// at the names of what is loaded: this runs in every srun.
std::string earlier_copy();

std::string own_path();

}  // namespace muster::spank
