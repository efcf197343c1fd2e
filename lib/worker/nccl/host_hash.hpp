// Which host this is in NCCL's eyes: it takes two ranks for ones of one host, and refuses that they
// share a GPU there, by NCCL_HOSTID if that is set and by host name and boot id otherwise.
#pragma once

#include "worker/environment.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::worker::nccl {

std::uint64_t host_hash(const Environment& environment, std::string_view host_name,
                        std::string_view boot_id);

// Of the machine that this process runs on.
std::uint64_t host_hash(const Environment& environment);

}  // namespace muster::worker::nccl
