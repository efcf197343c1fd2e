// Slurm's plugin directory, which tells the supervisor whether Slurm has PMIx.
#pragma once

#include <string>

namespace muster::spank {

// The directory of a plugin of Slurm's own that this srun has loaded; empty if it has loaded none.
std::string plugin_directory();

}  // namespace muster::spank
