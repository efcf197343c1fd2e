#include "launcher/agent/task_watch/environment_watch.hpp"

#include "launcher/agent/task_watch/process_environment.hpp"

#include <utility>

namespace muster::task_watch {

EnvironmentWatch::EnvironmentWatch(EnvironmentChanges changes, std::string step,
                                   channel::Client supervisor, std::filesystem::path proc)
    : changes_(std::move(changes)),
      step_(std::move(step)),
      supervisor_(std::move(supervisor)),
      proc_(std::move(proc)) {}

void EnvironmentWatch::started(const wire::TasksStarted& tasks) {
  if (tasks.pids.size() != changes_.tasks()) return;
  std::uint32_t local_id = 0;
  for (const auto pid : tasks.pids) tasks_.emplace(local_id++, static_cast<pid_t>(pid));
  times_.start();
}

std::optional<EnvironmentWatch::Clock::time_point> EnvironmentWatch::next() const {
  return tasks_.empty() ? std::nullopt : times_.next();
}

void EnvironmentWatch::look() {
  const auto variable = first_replaced();
  const bool reported = !variable.empty() && supervisor_.ask("notice", replaced_line(variable),
                                                             Clock::now() + notice_timeout);
  if (reported) {
    times_.stop();
  } else {
    times_.looked();
  }
}

std::string EnvironmentWatch::first_replaced() {
  for (auto task = tasks_.begin(); task != tasks_.end();) {
    const auto seen = started_environment(proc_, task->second, step_);
    if (!seen) {
      ++task;
      continue;
    }
    const auto variable = changes_.replaced(task->first, *seen);
    if (!variable.empty()) return std::string(variable);
    task = tasks_.erase(task);
  }
  return {};
}

}  // namespace muster::task_watch
