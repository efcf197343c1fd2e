// An srun at a prompt makes an allocation that ends with its step. To outlive a step, the allocation
// is made by salloc first, which then starts the supervisor in it.
#pragma once

#include "core/environment.hpp"
#include "launcher/supervise/srun_command.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::allocation {

// The long and short options that salloc of this Slurm knows, from the text of `salloc --help`.
struct SallocOptions {
  std::vector<std::string> with_value;     // "partition", "p"
  std::vector<std::string> without_value;  // "exclusive", "H"
};
SallocOptions salloc_options(std::string_view help);

// salloc with those of srun's options that it knows, `spares` nodes more than the step has, and
// `supervisor` as its command. Throws Error where spares= cannot be added to what the user asked
// for. `srun` is only read: the step is given all of its options again.
std::vector<std::string> salloc_command(const SallocOptions& known,
                                        const supervise::SrunCommand& srun,
                                        const Environment& environment, std::uint32_t spares,
                                        const std::vector<std::string>& supervisor);

}  // namespace muster::allocation
