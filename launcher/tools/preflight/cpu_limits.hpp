// How much of the node's CPUs this process's control groups leave it, in version 1 or 2. Any group above may
// be the one with the limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace muster::preflight {

// How long they have throttled it so far, in microseconds; 0 if that is not known.
std::uint64_t throttled_time(const std::filesystem::path& root);

// The smallest of their quotas, in thousandths of a CPU; nothing without one.
std::optional<std::uint64_t> cpu_quota(const std::filesystem::path& root);

// CPUs that are online, in thousandths.
std::optional<std::uint64_t> cpus_online(const std::filesystem::path& root);

}  // namespace muster::preflight
