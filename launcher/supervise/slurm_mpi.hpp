// Does Slurm here have PMIx? srun itself is asked, since it knows its plugin directory.
#pragma once

#include <string>

namespace muster::supervise {

bool has_pmix(const std::string& srun);

}  // namespace muster::supervise
