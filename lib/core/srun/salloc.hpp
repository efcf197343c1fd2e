// An srun at a prompt makes an allocation that ends with its step. An allocation that is to outlive a step
// must come from salloc, which then starts the supervisor in it.
//
// salloc's own messages are kept ("salloc: Pending job allocation 5", "salloc: Granted job allocation 5"),
// because they name the job and say what it is waiting for. --quiet silences them, as it does with srun.
#pragma once

#include "core/environment.hpp"
#include "core/srun/command.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::srun {

// The long options that `salloc --help` lists for this Slurm.
struct SallocOptions {
  std::vector<std::string> names;  // without dashes: "partition", "exclusive"

  friend bool operator==(const SallocOptions&, const SallocOptions&) = default;
};
SallocOptions salloc_options(std::string_view help);

// The salloc that belongs to this srun: the one in the same directory, or plain "salloc", to be found through
// PATH, if srun was given without a directory.
std::string salloc_beside(const std::string& srun);

// The command line of salloc: those of srun's options and variables that it knows, for each of the step's
// components, `spares` nodes more than the step has, and `supervisor` as its command. It ignores salloc's own
// variables, because srun does not read them. Throws Error if spares= cannot be added to what the user asked
// for. The step is then started with all options of `srun` again.
std::vector<std::string> salloc_command(const SallocOptions& known, const Command& srun,
                                        const Environment& environment, std::uint32_t spares,
                                        const std::vector<std::string>& supervisor);

}  // namespace muster::srun
