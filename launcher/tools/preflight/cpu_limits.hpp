// How much of the node's CPUs this process's control groups allow it, with version 1 or 2. The limit may be
// set in any ancestor group.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace muster::preflight {

// How long the groups have throttled this process so far, in microseconds; 0 if unknown.
std::uint64_t throttled_time(const std::filesystem::path& root);

// The smallest quota of these groups, in thousandths of a CPU; no value if there is none.
std::optional<std::uint64_t> cpu_quota(const std::filesystem::path& root);

// The CPUs that are online, in thousandths of a CPU.
std::optional<std::uint64_t> cpus_online(const std::filesystem::path& root);

}  // namespace muster::preflight
