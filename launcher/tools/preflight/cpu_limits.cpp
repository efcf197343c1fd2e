#include "launcher/tools/preflight/cpu_limits.hpp"

#include "core/contains.hpp"
#include "core/cpuset.hpp"
#include "core/error.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "launcher/os/small_file.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

namespace muster::preflight {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_file = 65536;
constexpr std::uint64_t thousandths = 1000;

// The value after `word` on the line that begins with it.
std::uint64_t value_in(const std::string& file, std::string_view word) {
  for (const auto line : text::split(file, '\n')) {
    if (!line.starts_with(word) || line.size() <= word.size() + 1) continue;
    return text::number<std::uint64_t>(line.substr(word.size() + 1)).value_or(0);
  }
  return 0;
}

bool has_cpu(std::string_view controllers) {
  const auto names = text::split(controllers, ',');
  return contains(names, "cpu");
}

using Look = std::function<void(const fs::path& group, bool second_version)>;

void look_upwards(const fs::path& mount, std::string_view group, bool second_version,
                  const Look& look) {
  for (auto path = fs::path(group).relative_path();; path = path.parent_path()) {
    look(mount / path, second_version);
    if (path.empty()) return;
  }
}

// Calls `look` for each of this process's groups that may have a limit.
void look_at_groups(const fs::path& root, const Look& look) {
  const auto mount = root / "sys/fs/cgroup";
  const auto groups = os::small_file(root / "proc/self/cgroup", max_file);
  for (const auto line : text::split(groups, '\n')) {
    const auto parts = text::split(line, ':');
    if (parts.size() < 3) continue;
    if (parts[1].empty()) {
      for (const auto& place : {mount, mount / "unified"})
        look_upwards(place, parts[2], true, look);
    } else if (has_cpu(parts[1])) {
      for (const auto& place : {mount / "cpu", mount / parts[1]})
        look_upwards(place, parts[2], false, look);
    }
  }
}

std::optional<std::uint64_t> share(std::string_view quota, std::string_view period) {
  const auto time = text::number<std::uint64_t>(quota);  // neither "max" nor -1
  const auto of = text::number<std::uint64_t>(period);
  constexpr std::uint64_t most = UINT64_MAX / thousandths;
  if (!time || !of || *of == 0 || *time > most) return std::nullopt;
  return *time * thousandths / *of;
}

std::optional<std::uint64_t> quota_of(const fs::path& group, bool second_version) {
  if (second_version) {
    const auto line = os::first_line(group / "cpu.max", max_file);
    const auto words = text::split(line, ' ');
    return words.size() == 2 ? share(words[0], words[1]) : std::nullopt;
  }
  return share(os::first_line(group / "cpu.cfs_quota_us", max_file),
               os::first_line(group / "cpu.cfs_period_us", max_file));
}

}  // namespace

std::uint64_t throttled_time(const fs::path& root) {
  constexpr std::uint64_t nanoseconds = 1000;
  std::uint64_t most = 0;
  look_at_groups(root, [&](const fs::path& group, bool second_version) {
    const auto stat = os::small_file(group / "cpu.stat", max_file);
    const auto time = second_version ? value_in(stat, "throttled_usec")
                                     : value_in(stat, "throttled_time") / nanoseconds;
    most = std::max(most, time);
  });
  return most;
}

std::optional<std::uint64_t> cpu_quota(const fs::path& root) {
  std::optional<std::uint64_t> least;
  look_at_groups(root, [&](const fs::path& group, bool second_version) {
    if (const auto quota = quota_of(group, second_version))
      least = std::min(least.value_or(*quota), *quota);
  });
  return least;
}

std::optional<std::uint64_t> cpus_online(const fs::path& root) {
  try {
    const auto list = os::first_line(root / "sys/devices/system/cpu/online", max_file);
    const auto count = CpuSet::parse(list).count();
    return count > 0 ? std::optional(count * thousandths) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace muster::preflight
