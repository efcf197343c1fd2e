// The libpmix that Slurm's PMIx plugin opens when it is loaded. If it is missing, as on Debian 12 without
// libpmix-dev, srun lists the plugin but fails with --mpi=pmix.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::slurm {

// Where a plugin looks for it, from the texts in its file: paths, then the bare names for the loader. Empty
// if it names no libpmix. Pure.
std::vector<std::string> libpmix_of(std::string_view plugin);

// Whether a PMIx plugin in that directory finds its library; true if that is unknown. Only opens a library,
// in a child, if none of the paths is a file.
bool has_libpmix(const std::string& plugin_directory);

// The content of the first PMIx plugin; empty if there is none.
std::string pmix_plugin_in(const std::string& plugin_directory);

}  // namespace muster::slurm
