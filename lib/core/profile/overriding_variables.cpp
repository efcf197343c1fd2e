#include "core/profile/overriding_variables.hpp"

#include <array>

namespace muster::profile {
namespace {

struct Rivalry {
  std::string_view name;
  std::string_view rival;
};

// Where the user exports OMP_PLACES, muster leaves out OMP_PROC_BIND: places alone already mean
// that threads are bound to them. In the opposite case, a user's OMP_PROC_BIND most likely means
// cores as places.
constexpr std::array table{
    Rivalry{"FI_CXI_DEVICE_NAME", "MPICH_OFI_NIC_MAPPING"},
    Rivalry{"NCCL_IB_HCA", "NCCL_IB_DISABLE"},
    Rivalry{"NCCL_IB_HCA", "NCCL_NET"},
    Rivalry{"OMP_PLACES", "GOMP_CPU_AFFINITY"},
    Rivalry{"OMP_PLACES", "KMP_AFFINITY"},
    Rivalry{"OMP_PROC_BIND", "GOMP_CPU_AFFINITY"},
    Rivalry{"OMP_PROC_BIND", "KMP_AFFINITY"},
    Rivalry{"OMP_PROC_BIND", "OMP_PLACES"},
    Rivalry{"UCX_NET_DEVICES", "UCX_TLS"},
};

}  // namespace

std::optional<std::string_view> overriding_variable(std::string_view name,
                                                    const Environment& environment) {
  for (const auto& [variable, rival] : table)
    if (variable == name && environment.contains(rival)) return rival;
  return std::nullopt;
}

}  // namespace muster::profile
