// Does Slurm here have PMIx?
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::slurm {

// What Slurm's plugin directory tells; nothing if it is empty or holds no MPI plugin at all: then it
// is not the place.
std::optional<bool> has_pmix_in(const std::string& plugin_directory);

// What srun itself tells. It takes srun some 15 ms, since it loads all of these plugins.
bool has_pmix(const std::string& srun);

// Whether MpiDefault names no way to start MPI programs. A site that chose one (pmi2, a vendor's) has an MPI
// that needs it, and a release of PMIx that it named is the one it wants. Pure.
bool leaves_mpi_open(std::string_view mpi_default);

}  // namespace muster::slurm
