#include "launcher/agent/ranks/control_groups.hpp"

#include "core/text/take.hpp"
#include "launcher/agent/ranks/job_group.hpp"

#include <algorithm>
#include <cctype>

namespace muster::ranks {
namespace {

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

void add(std::vector<GroupFile>& files, const GroupMounts::Mount& mount, std::string_view path,
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
GroupMounts group_mounts(std::string_view mountinfo, std::string_view controller) {
  GroupMounts mounts;
  while (!mountinfo.empty()) {
    auto line = text::take(mountinfo, '\n');
    auto kind = line.substr(std::min(line.find(" - "), line.size()));
    for (int word = 0; word < 3; ++word) text::take(line, ' ');
    const auto root = text::take(line, ' ');
    const auto at = text::take(line, ' ');
    kind.remove_prefix(std::min<std::size_t>(kind.size(), 3));
    const auto type = text::take(kind, ' ');
    text::take(kind, ' ');
    const GroupMounts::Mount mount{std::filesystem::path(at), std::string(root)};
    if (type == "cgroup2" && !mounts.v2) mounts.v2 = mount;
    if (type == "cgroup" && has_word(kind, controller) && !mounts.v1) mounts.v1 = mount;
  }
  return mounts;
}

std::vector<GroupFile> group_files(std::string_view cgroup_file, const GroupMounts& mounts,
                                   const GroupFileNames& names) {
  std::vector<GroupFile> files;
  while (!cgroup_file.empty()) {
    auto line = text::take(cgroup_file, '\n');
    const bool v2 = text::take(line, ':') == "0";
    const auto controllers = text::take(line, ':');
    if (v2 && mounts.v2) add(files, *mounts.v2, line, names.v2);
    if (!v2 && mounts.v1 && has_word(controllers, names.controller))
      add(files, *mounts.v1, line, names.v1);
  }
  return files;
}

}  // namespace muster::ranks
