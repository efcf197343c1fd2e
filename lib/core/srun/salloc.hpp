// An srun at a prompt makes an allocation that ends with its step. To outlive a step, the allocation
// is made by salloc first, which then starts the supervisor in it.
//
// Its lines stay as they are ("salloc: Pending job allocation 5", "salloc: Granted job allocation 5"):
// they name the job, and say what is waited for. --quiet silences them as it does srun's.
#pragma once

#include "core/environment.hpp"
#include "core/srun/command.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::srun {

// The long options that salloc of this Slurm names, from the text of `salloc --help`.
struct SallocOptions {
  std::vector<std::string> names;  // without dashes: "partition", "exclusive"

  friend bool operator==(const SallocOptions&, const SallocOptions&) = default;
};
SallocOptions salloc_options(std::string_view help);

// The salloc of the Slurm to which this srun belongs: beside it, or on PATH as it is.
std::string salloc_beside(const std::string& srun);

// salloc with those of srun's options and variables that it knows, `spares` nodes more than the step
// has, and `supervisor` as its command. salloc's own variables count for nothing, because srun does not
// read them. Throws Error where spares= cannot be added to what the user asked for. `srun` is only
// read: the step is given all of its options again.
std::vector<std::string> salloc_command(const SallocOptions& known, const Command& srun,
                                        const Environment& environment, std::uint32_t spares,
                                        const std::vector<std::string>& supervisor);

}  // namespace muster::srun
