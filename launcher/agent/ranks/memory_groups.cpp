#include "launcher/agent/ranks/memory_groups.hpp"

#include "core/text/take.hpp"
#include "launcher/agent/ranks/job_group.hpp"
#include "launcher/os/small_file.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

namespace muster::ranks {
namespace {

constexpr std::size_t max_group_bytes = std::size_t{64} << 10;

bool has_word(std::string_view words, std::string_view wanted) {
  while (!words.empty())
    if (text::take(words, ',') == wanted) return true;
  return false;
}

// "/slurm/.../step_0/task_1"
bool names_task(std::string_view path) {
  const auto last = path.substr(path.rfind('/') + 1);
  return last.starts_with("task_") && last.size() > 5 &&
         std::ranges::all_of(last.substr(5), [](unsigned char c) { return std::isdigit(c) != 0; });
}

// The group and its ancestors, from the bottom up to the job's group.
std::vector<std::string_view> up_to_job(std::string_view path) {
  const auto job = job_group_of(path);
  std::vector<std::string_view> paths{path};
  while (!job.empty() && path.size() > job.size()) {
    path = path.substr(0, path.rfind('/'));
    paths.push_back(path);
  }
  return paths;
}

// The part of a group's path below the mount's root; no value if the mount does not show the group.
std::optional<std::string_view> below(std::string_view path, std::string_view root) {
  if (root == "/") return path;
  if (!path.starts_with(root)) return std::nullopt;
  path.remove_prefix(root.size());
  if (!path.empty() && path.front() != '/') return std::nullopt;
  return path;
}

void add(std::vector<CounterFile>& files, const MemoryMounts::Mount& mount, std::string_view path,
         const char* name) {
  for (const auto group : up_to_job(path)) {
    const auto shown = below(group, mount.root);
    if (!shown) continue;
    files.push_back(
        {mount.at / std::filesystem::path(*shown).relative_path() / name, names_task(group)});
  }
}

}  // namespace

// Parses lines like "36 35 98:0 /root /mount/point rw,... - type source options".
MemoryMounts memory_mounts(std::string_view mountinfo) {
  MemoryMounts mounts;
  while (!mountinfo.empty()) {
    auto line = text::take(mountinfo, '\n');
    auto kind = line.substr(std::min(line.find(" - "), line.size()));
    for (int word = 0; word < 3; ++word) text::take(line, ' ');
    const auto root = text::take(line, ' ');
    const auto at = text::take(line, ' ');
    kind.remove_prefix(std::min<std::size_t>(kind.size(), 3));
    const auto type = text::take(kind, ' ');
    text::take(kind, ' ');
    const MemoryMounts::Mount mount{std::filesystem::path(at), std::string(root)};
    if (type == "cgroup2" && !mounts.v2) mounts.v2 = mount;
    if (type == "cgroup" && has_word(kind, "memory") && !mounts.v1) mounts.v1 = mount;
  }
  return mounts;
}

std::vector<CounterFile> counter_files(std::string_view cgroup_file, const MemoryMounts& mounts) {
  std::vector<CounterFile> files;
  while (!cgroup_file.empty()) {
    auto line = text::take(cgroup_file, '\n');
    const bool v2 = text::take(line, ':') == "0";
    const auto controllers = text::take(line, ':');
    if (v2 && mounts.v2) add(files, *mounts.v2, line, "memory.events");
    if (!v2 && mounts.v1 && has_word(controllers, "memory"))
      add(files, *mounts.v1, line, "memory.oom_control");
  }
  return files;
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
