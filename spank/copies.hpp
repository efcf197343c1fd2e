// plugstack.conf may name the plugin twice: one file on two lines, or two installations. The copy on the
// first line works, and the other one does nothing.
#pragma once

#include <string>

namespace muster::spank {

// The path of the copy that this process loaded first, or null if it is this one. Looks only at the
// process's mappings, because this runs in every srun. The loader owns the path while that copy is loaded.
const char* earlier_copy() noexcept;

std::string own_path();

}  // namespace muster::spank
