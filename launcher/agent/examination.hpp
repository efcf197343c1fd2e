// What this node tells about a slow rank: counters of the kernel, read twice. Only once somebody is
// suspected.
#pragma once

#include "core/slow/cause.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include <sys/types.h>

namespace muster::agent {

// The counters of one process and of what is below it. Counts up.
struct RankCounters {
  std::optional<std::uint64_t> throttled_us;  // in its control groups
  std::optional<std::uint64_t> computed_ns;   // its main thread
  std::optional<std::uint64_t> queued_ns;
  std::optional<std::uint64_t> memory_stall_us;
  std::uint64_t faults = 0;
  std::uint32_t workers = 0;
  std::uint64_t workers_computed_ns = 0;
};

struct NodeCounters {
  std::chrono::steady_clock::time_point time;
  std::map<pid_t, RankCounters> ranks;
  std::uint64_t segments = 0;
  std::uint64_t repeated = 0;
  std::uint64_t needless = 0;  // of them, those that had arrived
};

// `proc` and `groups`: where they are mounted, /proc and /sys/fs/cgroup.
NodeCounters read_counters(const std::filesystem::path& proc, const std::filesystem::path& groups,
                           const std::vector<pid_t>& ranks);

// What happened in between to those of the ranks that stand out.
slow::Evidence compare(const NodeCounters& before, const NodeCounters& after);

}  // namespace muster::agent
