#include "launcher/agent/ranks/memory_groups.hpp"

#include "core/text/take.hpp"
#include "launcher/os/small_file.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace muster::ranks {

GroupMounts memory_mounts(std::string_view mountinfo) {
  return group_mounts(mountinfo, "memory");
}

std::vector<GroupFile> counter_files(std::string_view cgroup_file, const GroupMounts& mounts) {
  return group_files(cgroup_file, mounts, {"memory", "memory.oom_control", "memory.events"});
}

std::optional<std::uint64_t> oom_kills(std::string_view counters) {
  while (!counters.empty()) {
    auto line = text::take(counters, '\n');
    if (text::take(line, ' ') != "oom_kill") continue;
    std::uint64_t kills = 0;
    const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), kills);
    if (error == std::errc{}) return kills;
  }
  return std::nullopt;
}

const CounterReadings::OfGroups& CounterReadings::of(const std::string& cgroup_file) {
  const auto [found, is_new] = by_groups_.try_emplace(cgroup_file);
  auto& readings = found->second;
  if (!is_new) return readings;
  for (auto& file : counter_files(cgroup_file, mounts_)) {
    if (const auto now = read(file.file))
      readings.counters.push_back({std::move(file), *now});
    else
      readings.complete = false;
  }
  return readings;
}

std::optional<std::uint64_t> CounterReadings::read(const std::filesystem::path& file) {
  const auto [found, is_new] = by_file_.try_emplace(file);
  if (is_new) found->second = oom_kills(os::small_file(file, max_group_bytes));
  return found->second;
}

void MemoryGroups::look(const std::filesystem::path& proc, pid_t pid, CounterReadings& readings) {
  auto groups = os::small_file(proc / fmt::to_string(pid) / "cgroup", max_group_bytes);
  if (groups == groups_) return;
  const auto& found = readings.of(groups);
  for (const auto& counter : found.counters) {
    if (std::ranges::find(counters_, counter.file, &Counter::file) != counters_.end()) continue;
    counters_.push_back(counter);
  }
  // If a counter could not be read, because its group was just being created for example, it is tried again.
  groups_ = found.complete ? std::move(groups) : std::string();
}

OomKills MemoryGroups::kills() const {
  OomKills kills;
  for (const auto& counter : counters_) {
    const auto now = oom_kills(os::small_file(counter.file.file, max_group_bytes));
    if (!now || *now <= counter.before) continue;
    (counter.file.of_task ? kills.in_task : kills.nearby) = true;
  }
  return kills;
}

}  // namespace muster::ranks
