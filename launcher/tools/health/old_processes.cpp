#include "launcher/tools/health/old_processes.hpp"

#include "core/contains.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "launcher/os/bounded_child.hpp"
#include "launcher/os/small_file.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <csignal>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::health {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kill_interval{20};
constexpr milliseconds to_hand_over{100};
constexpr std::size_t max_processes = 65536;
constexpr std::size_t max_environment = std::size_t{1} << 20;
constexpr std::size_t max_cgroup_file = std::size_t{64} << 10;

bool names_step(std::string_view entry, std::span<const std::string> steps) {
  constexpr std::string_view name = wire::planned_variable;
  if (!entry.starts_with(name) || entry.size() <= name.size() || entry[name.size()] != '=') {
    return false;
  }
  return contains(steps, entry.substr(name.size() + 1));
}

bool is_in_group(std::string_view cgroup_file, const std::string& step) {
  const auto dot = step.find('.');
  if (dot == std::string::npos) return false;
  const auto path = fmt::format("/job_{}/step_{}/", step.substr(0, dot), step.substr(dot + 1));
  return cgroup_file.find(path) != std::string_view::npos;
}

bool belongs_to(const std::filesystem::path& directory, uid_t user) {
  struct stat status {};
  return stat(directory.c_str(), &status) == 0 && status.st_uid == user;
}

bool has_ended(const ranks::ProcessStat& stat) {
  return stat.state == 'Z' || stat.state == 'X';
}

// In the bounded child.
std::uint32_t end_all(std::span<const std::string> steps, Clock::time_point deadline) {
  while (true) {
    const auto left = processes_of_steps("/proc", steps, geteuid());
    if (left.empty() || Clock::now() >= deadline) return static_cast<std::uint32_t>(left.size());
    for (const auto& stat : left) {
      if (const auto process = ranks::Process::open(stat))
        static_cast<void>(process->signal(SIGKILL));
    }
    std::this_thread::sleep_for(kill_interval);
  }
}

}  // namespace

bool is_of_steps(std::string_view environment, std::string_view cgroup_file,
                 std::span<const std::string> steps) {
  for (const auto entry : text::split(environment, '\0')) {
    if (names_step(entry, steps)) return true;
  }
  return std::ranges::any_of(
      steps, [cgroup_file](const auto& step) { return is_in_group(cgroup_file, step); });
}

std::vector<ranks::ProcessStat> processes_of_steps(const std::filesystem::path& proc,
                                                   std::span<const std::string> steps, uid_t user) {
  std::vector<ranks::ProcessStat> found;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(proc, failed), end;
       !failed && at != end && found.size() < max_processes; at.increment(failed)) {
    const auto pid = text::number<pid_t>(at->path().filename().native());
    if (!pid || *pid == getpid() || !belongs_to(at->path(), user)) continue;
    const auto stat = ranks::stat_of(proc, *pid);
    if (!stat || has_ended(*stat)) continue;
    const auto environment = os::small_file(at->path() / "environ", max_environment);
    const auto groups = os::small_file(at->path() / "cgroup", max_cgroup_file);
    if (is_of_steps(environment, groups, steps)) found.push_back(*stat);
  }
  return found;
}

std::optional<std::uint32_t> end_processes_of_steps(std::span<const std::string> steps,
                                                    milliseconds timeout) {
  if (steps.empty()) return 0;
  const auto deadline = Clock::now() + std::max(timeout - to_hand_over, timeout / 2);
  const auto answer =
      os::answer_of_child([&] { return fmt::to_string(end_all(steps, deadline)); }, timeout);
  return answer ? text::number<std::uint32_t>(*answer) : std::nullopt;
}

}  // namespace muster::health
