// What this process's control groups leave it of the node's CPUs, of version 1 or 2. Any group above may be
// the one with the limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace muster::preflight {

// What they have held back so far, in microseconds; 0 where nobody says so.
std::uint64_t throttled_time(const std::filesystem::path& root);

// The smallest of their quotas, in thousandths of a CPU; nothing where there is none.
std::optional<std::uint64_t> cpu_quota(const std::filesystem::path& root);

// CPUs that are online, in thousandths.
std::optional<std::uint64_t> cpus_online(const std::filesystem::path& root);

}  // namespace muster::preflight
