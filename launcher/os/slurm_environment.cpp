#include "launcher/os/slurm_environment.hpp"

#include "core/contains.hpp"

#include <algorithm>
#include <array>

namespace muster::os {

bool shapes_a_step(std::string_view name) {
  constexpr std::array<std::string_view, 4> kept{"SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_JWT",
                                                 "MUSTER_NCCL_LIBRARY"};  // the user's library
  if (contains(kept, name)) return false;
  constexpr std::array<std::string_view, 5> shaping{"SLURM", "_SLURM", "SRUN_", "MUSTER_",
                                                    "PYXIS_"};
  return std::ranges::any_of(shaping, [name](auto prefix) { return name.starts_with(prefix); });
}

}  // namespace muster::os
