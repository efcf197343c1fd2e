// Does Slurm here have PMIx? Asked of srun itself, which knows its plugin directory.
#pragma once

#include <string>

namespace muster::supervise {

bool has_pmix(const std::string& srun);

}  // namespace muster::supervise
