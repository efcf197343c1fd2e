// Does Slurm here have PMIx?
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::slurm {

// From the files in Slurm's plugin directory. Nothing if it is empty or has no MPI plugin at all: then it is
// the wrong place.
std::optional<bool> has_pmix_in(const std::string& plugin_directory);

// From srun itself, which takes some 15 ms because it loads all of these plugins.
bool has_pmix(const std::string& srun);

// Whether MpiDefault names no way to start MPI programs. A site that chose one (pmi2, a vendor's) has an MPI
// that needs it, and a release of PMIx that it named is the one it wants. Pure.
bool leaves_mpi_open(std::string_view mpi_default);

}  // namespace muster::slurm
