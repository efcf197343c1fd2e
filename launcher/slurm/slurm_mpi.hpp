// Whether this Slurm has PMIx.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::slurm {

// Decides by the files in Slurm's plugin directory. No value if the directory is empty or has no MPI plugin
// at all, because it is then the wrong place.
std::optional<bool> has_pmix_in(const std::string& plugin_directory);

// Asks srun itself, which takes about 15 ms because srun loads all of these plugins.
bool has_pmix(const std::string& srun);

// Whether MpiDefault names no way to start MPI programs. A site that chose one (pmi2, a vendor's) has an
// MPI that needs it; a site that named a PMIx release wants that release. Pure.
bool leaves_mpi_open(std::string_view mpi_default);

}  // namespace muster::slurm
