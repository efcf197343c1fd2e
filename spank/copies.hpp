// plugstack.conf may name the plugin twice: one file in two lines, or two installations. The copy of
// the first line works, and the other does nothing.
#pragma once

#include <string>

namespace muster::spank {

// The path of the copy that this process loaded first, or null where it is this one. Looks only at what is
// mapped where: this runs in every srun. The loader owns the path, for as long as that copy is loaded.
const char* earlier_copy() noexcept;

std::string own_path();

}  // namespace muster::spank
