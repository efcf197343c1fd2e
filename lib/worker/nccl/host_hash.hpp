// The host as NCCL sees it. NCCL compares NCCL_HOSTID if that is set, otherwise host name and boot ID, to
// decide whether two ranks are on one host. It does not allow them to share a GPU there.
#pragma once

#include "worker/environment.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::worker::nccl {

std::uint64_t host_hash(const Environment& environment, std::string_view host_name,
                        std::string_view boot_id);

// The hash of the machine on which this process runs.
std::uint64_t host_hash(const Environment& environment);

}  // namespace muster::worker::nccl
