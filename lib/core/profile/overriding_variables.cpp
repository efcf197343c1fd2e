#include "core/profile/overriding_variables.hpp"

#include <array>

namespace muster::profile {
namespace {

struct Rivalry {
  std::string_view name;
  std::string_view rival;
};

// OMP_PROC_BIND beside a user's OMP_PLACES: places alone mean that threads are bound to them.
// The other way round cores are the places that a user's OMP_PROC_BIND most likely means.
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
