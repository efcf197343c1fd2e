#include "launcher/tools/health/old_processes.hpp"

#include "core/contains.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "launcher/agent/ranks/job_group.hpp"
#include "launcher/agent/ranks/process_table.hpp"
#include "launcher/os/bounded_child.hpp"
#include "wire/variables.hpp"

#include <algorithm>
#include <csignal>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::health {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kill_interval{20};
constexpr milliseconds to_hand_over{100};

bool names_step(std::string_view entry, std::span<const std::string> steps) {
  constexpr std::string_view name = wire::planned_variable;
  if (!entry.starts_with(name) || entry.size() <= name.size() || entry[name.size()] != '=') {
    return false;
  }
  return contains(steps, entry.substr(name.size() + 1));
}

bool is_in_group(std::string_view cgroup_file, const std::string& step,
                 std::string_view job_group) {
  const auto dot = step.find('.');
  if (dot == std::string::npos) return false;
  const auto is_below = [&](std::string_view group) {
    const auto path = fmt::format("/{}/step_{}/", group, step.substr(dot + 1));
    return cgroup_file.find(path) != std::string_view::npos;
  };
  return is_below("job_" + step.substr(0, dot)) || (!job_group.empty() && is_below(job_group));
}

bool has_ended(const ranks::ProcessStat& stat) {
  return stat.state == 'Z' || stat.state == 'X';
}

// Runs in the bounded child.
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
                 std::span<const std::string> steps, std::string_view job_group) {
  for (const auto entry : text::split(environment, '\0')) {
    if (names_step(entry, steps)) return true;
  }
  return std::ranges::any_of(
      steps, [&](const auto& step) { return is_in_group(cgroup_file, step, job_group); });
}

std::vector<ranks::ProcessStat> processes_of_steps(const std::filesystem::path& proc,
                                                   std::span<const std::string> steps, uid_t user) {
  std::vector<ranks::ProcessStat> found;
  const auto own_groups = ranks::SeenProcess(proc, getpid()).control_groups();
  const auto job_group = ranks::job_group_name(own_groups);
  ranks::ProcessTable(proc).each_of(user, [&](const ranks::SeenProcess& process) {
    const auto stat = process.stat();
    if (!stat || process.pid() == getpid() || has_ended(*stat)) return;
    if (is_of_steps(process.environment(), process.control_groups(), steps, job_group)) {
      found.push_back(*stat);
    }
  });
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
