// Whether the kernel has killed a process because of memory: compares the counters of a task's memory control
// groups, version 1 (memory.oom_control) or 2 (memory.events), before and after.
#pragma once

#include "launcher/agent/ranks/control_groups.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace muster::ranks {

// Where control groups with memory counters are mounted, from /proc/self/mountinfo.
GroupMounts memory_mounts(std::string_view mountinfo);

// The counters of a process's groups, from /proc/PID/cgroup.
std::vector<GroupFile> counter_files(std::string_view cgroup_file, const GroupMounts& mounts);

// The number of processes killed, from a counter file.
std::optional<std::uint64_t> oom_kills(std::string_view counters);

struct Counter {
  GroupFile file;
  std::uint64_t before = 0;
};

// The groups' counters at one look at a node's tasks. Tasks share groups, but each file is read only once.
class CounterReadings {
 public:
  explicit CounterReadings(const GroupMounts& mounts) : mounts_(mounts) {}

  struct OfGroups {
    std::vector<Counter> counters = {};  // those that could be read
    bool complete = true;                // whether all could be read
  };

  // For a task with this /proc/PID/cgroup.
  const OfGroups& of(const std::string& cgroup_file);

 private:
  std::optional<std::uint64_t> read(const std::filesystem::path& file);

  const GroupMounts& mounts_;
  std::map<std::string, OfGroups> by_groups_;
  std::map<std::filesystem::path, std::optional<std::uint64_t>> by_file_;
};

struct OomKills {
  bool in_task = false;  // it hit a process of this task
  bool nearby = false;   // it hit the step or the job, so it may have been another task's process
};

// One task's counters.
class MemoryGroups {
 public:
  // Finds the task's groups. May be called again, because a task may be moved after it has started.
  void look(const std::filesystem::path& proc, pid_t pid, CounterReadings& readings);

  // The kills since the first look at each group.
  [[nodiscard]] OomKills kills() const;

 private:
  std::string groups_;  // as of the last look that read all their counters
  std::vector<Counter> counters_;
};

}  // namespace muster::ranks
