// Finds Slurm's plugin directory, from which the supervisor learns whether Slurm has PMIx.
#pragma once

#include <string>

namespace muster::spank {

// The directory of one of Slurm's own plugins that this srun has loaded; empty if it has loaded none.
std::string plugin_directory();

}  // namespace muster::spank
