// How much of the node's CPUs this process's control groups allow it, in version 1 or 2. Any of the groups
// above may be the one that sets the limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace muster::preflight {

// How long the groups have throttled this process so far, in microseconds; 0 if that is not known.
std::uint64_t throttled_time(const std::filesystem::path& root);

// The smallest quota of these groups, in thousandths of a CPU; nothing if there is none.
std::optional<std::uint64_t> cpu_quota(const std::filesystem::path& root);

// The CPUs that are online, in thousandths of a CPU.
std::optional<std::uint64_t> cpus_online(const std::filesystem::path& root);

}  // namespace muster::preflight
