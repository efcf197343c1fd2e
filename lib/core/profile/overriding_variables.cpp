#include "core/profile/overriding_variables.hpp"

#include <array>

namespace muster::profile {
namespace {

struct Overriding {
  std::string_view name;
  std::string_view overriding;
};

// If the user exports OMP_PLACES, muster does not set OMP_PROC_BIND: with places alone, threads are already
// bound to them. In the opposite case, a user's OMP_PROC_BIND most likely assumes that places are cores.
constexpr std::array pairs{
    Overriding{"FI_CXI_DEVICE_NAME", "MPICH_OFI_NIC_MAPPING"},
    Overriding{"NCCL_IB_HCA", "NCCL_IB_DISABLE"},
    Overriding{"NCCL_IB_HCA", "NCCL_NET"},
    Overriding{"OMP_PLACES", "GOMP_CPU_AFFINITY"},
    Overriding{"OMP_PLACES", "KMP_AFFINITY"},
    Overriding{"OMP_PROC_BIND", "GOMP_CPU_AFFINITY"},
    Overriding{"OMP_PROC_BIND", "KMP_AFFINITY"},
    Overriding{"OMP_PROC_BIND", "OMP_PLACES"},
    Overriding{"TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE"},
    Overriding{"TORCH_NCCL_DEBUG_INFO_TEMP_FILE", "TORCH_FR_DUMP_TEMP_FILE"},
    Overriding{"UCX_NET_DEVICES", "UCX_TLS"},
};

}  // namespace

std::optional<std::string_view> overriding_variable(std::string_view name,
                                                    const Environment& environment) {
  for (const auto& [variable, overriding] : pairs) {
    if (variable != name) continue;
    const auto* const value = environment.if_set(overriding);
    if (value == nullptr) continue;
    // IB is NCCL's own network for these devices.
    if (overriding == "NCCL_NET" && *value == "IB") continue;
    return overriding;
  }
  return std::nullopt;
}

}  // namespace muster::profile
