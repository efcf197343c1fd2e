// The libpmix that Slurm's PMIx plugin opens when it is loaded. Where it is not there, srun lists the plugin
// and fails with --mpi=pmix; Debian 12 is so without libpmix-dev.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::slurm {

// Where a plugin looks, by the texts in it: paths, and last the bare names that the loader looks for. Empty
// where it names no libpmix. Pure.
std::vector<std::string> libpmix_of(std::string_view plugin);

// Whether a PMIx plugin in that directory has its library; true where nobody can say. Opens a library only
// where no path is a file, and then in a child.
bool has_libpmix(const std::string& plugin_directory);

// The content of the first PMIx plugin; empty without one.
std::string pmix_plugin_in(const std::string& plugin_directory);

}  // namespace muster::slurm
