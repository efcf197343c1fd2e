// The files of a process's control group and of the groups above it, up to its job's, in versions 1 and 2.
// Pure.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::ranks {

// Limit on the bytes of /proc/PID/cgroup, and of a group's file.
inline constexpr std::size_t max_group_bytes = std::size_t{64} << 10;

// Where the groups of a controller are mounted. `root`: the group that the mount shows there.
struct GroupMounts {
  struct Mount {
    std::filesystem::path at;
    std::string root;

    friend bool operator==(const Mount&, const Mount&) = default;
  };
  std::optional<Mount> v1;
  std::optional<Mount> v2;
};

// Parses /proc/self/mountinfo. `controller`: its name in version 1.
GroupMounts group_mounts(std::string_view mountinfo, std::string_view controller);

// The same file of a controller in each version.
struct GroupFileNames {
  std::string_view controller;
  const char* v1;
  const char* v2;
};

struct GroupFile {
  std::filesystem::path file;
  bool of_task = false;  // its group contains one task only

  friend bool operator==(const GroupFile&, const GroupFile&) = default;
};

// From the process's own group upwards; only its own group if no job's group is found. `cgroup_file`: the
// text of /proc/PID/cgroup.
std::vector<GroupFile> group_files(std::string_view cgroup_file, const GroupMounts& mounts,
                                   const GroupFileNames& names);

}  // namespace muster::ranks
