// Does Slurm here have PMIx?
#pragma once

#include <optional>
#include <string>

namespace muster::supervise {

// What Slurm's plugin directory tells; nothing if it is empty or holds no MPI plugin at all: then it
// is not the place.
std::optional<bool> has_pmix_in(const std::string& plugin_directory);

// What srun itself tells. It takes srun some 15 ms, since it loads all of these plugins.
bool has_pmix(const std::string& srun);

}  // namespace muster::supervise
