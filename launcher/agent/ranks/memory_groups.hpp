// Whether the kernel has killed a process because of memory: compares the counters of a task's memory control
// groups, version 1 (memory.oom_control) or 2 (memory.events), before and after.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace muster::ranks {

// Where control groups with memory counters are mounted. `root`: the group that the mount shows there.
struct MemoryMounts {
  struct Mount {
    std::filesystem::path at;
    std::string root;

    friend bool operator==(const Mount&, const Mount&) = default;
  };
  std::optional<Mount> v1;
  std::optional<Mount> v2;
};

// Parses /proc/self/mountinfo.
MemoryMounts memory_mounts(std::string_view mountinfo);

struct CounterFile {
  std::filesystem::path file;
  bool of_task = false;  // counts one task only

  friend bool operator==(const CounterFile&, const CounterFile&) = default;
};

// A process's own group and its ancestors up to its job's, from /proc/PID/cgroup. Only its own if no job's
// group is found.
std::vector<CounterFile> counter_files(std::string_view cgroup_file, const MemoryMounts& mounts);

// The number of processes killed, from a counter file.
std::optional<std::uint64_t> oom_kills(std::string_view counters);

struct Counter {
  CounterFile file;
  std::uint64_t before = 0;
};

// The groups' counters at one look at a node's tasks. Tasks share groups, but each file is read only once.
class CounterReadings {
 public:
  explicit CounterReadings(const MemoryMounts& mounts) : mounts_(mounts) {}

  struct OfGroups {
    std::vector<Counter> counters = {};  // those that could be read
    bool complete = true;                // whether all could be read
  };

  // For a task with this /proc/PID/cgroup.
  const OfGroups& of(const std::string& cgroup_file);

 private:
  std::optional<std::uint64_t> read(const std::filesystem::path& file);

  const MemoryMounts& mounts_;
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
