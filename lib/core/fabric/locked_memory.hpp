// How much memory a process must be able to lock (ulimit -l) for its traffic over RDMA.
#pragma once

#include <cstdint>

namespace muster::fabric {

// Systemd's default is 8 MiB. NCCL registers a few hundred MiB; sites that support RDMA set no limit.
inline constexpr std::uint64_t enough_locked_memory = std::uint64_t{1} << 30;

}  // namespace muster::fabric
