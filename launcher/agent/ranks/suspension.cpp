#include "launcher/agent/ranks/suspension.hpp"

#include "launcher/os/small_file.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace muster::ranks {
namespace {

constexpr GroupFileNames freezer_files{"freezer", "freezer.state", "cgroup.freeze"};

// The requested state counts: a process in a system call that cannot be interrupted freezes late, or never.
bool says_frozen(std::string_view text) {
  return text == "FROZEN\n" || text == "FREEZING\n" || text == "1\n";
}

bool is_kept_from_running(const RankProcess& process) {
  const bool stopped = process.state == 'T' || process.state == 't';
  return process.is_frozen || (stopped && !process.by_muster);
}

}  // namespace

bool are_suspended(const std::vector<RankProcess>& processes) {
  return !processes.empty() && std::ranges::all_of(processes, is_kept_from_running);
}

GroupMounts freezer_mounts(std::string_view mountinfo) {
  return group_mounts(mountinfo, freezer_files.controller);
}

bool is_in_frozen_group(const std::string& cgroup_file, const GroupMounts& mounts) {
  return std::ranges::any_of(
      group_files(cgroup_file, mounts, freezer_files),
      [](const auto& group) { return says_frozen(os::small_file(group.file, max_group_bytes)); });
}

bool are_suspended(const Ranks& ranks, const GroupMounts& mounts,
                   const std::set<Standstill::Key>& by_muster) {
  std::vector<RankProcess> processes;
  std::map<std::string, bool> frozen;  // by /proc/PID/cgroup, because ranks may share a group
  for (const auto& rank : ranks.all()) {
    if (!rank.runs()) continue;
    const auto pid = rank.process->pid();
    const auto stat = stat_of("/proc", pid);
    if (!stat) return false;  // hidden: nothing is known about it
    const auto file = os::small_file(fmt::format("/proc/{}/cgroup", pid), max_group_bytes);
    const auto [found, is_new] = frozen.try_emplace(file);
    if (is_new) found->second = is_in_frozen_group(file, mounts);
    processes.push_back({.state = stat->state,
                         .by_muster = by_muster.contains({pid, stat->start_time}),
                         .is_frozen = found->second});
  }
  return are_suspended(processes);
}

}  // namespace muster::ranks
