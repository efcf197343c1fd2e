// Looks once at the environment with which each of a node's tasks has started its program. A second
// after the tasks were forked; later only at those that were still on their way, in a container for example.
#pragma once

#include "launcher/agent/task_watch/environment_changes.hpp"
#include "launcher/agent/task_watch/look_times.hpp"
#include "launcher/channel/client.hpp"
#include "wire/messages.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include <sys/types.h>

namespace muster::task_watch {

class EnvironmentWatch {
 public:
  using Clock = LookTimes::Clock;

  // `step`: as the tasks' environment names it. `supervisor`: shows the line to the user.
  EnvironmentWatch(EnvironmentChanges changes, std::string step, channel::Client supervisor,
                   std::filesystem::path proc = "/proc");

  void started(const wire::TasksStarted& tasks);

  // When to look again; nothing while there is nothing to look at.
  [[nodiscard]] std::optional<Clock::time_point> next() const;

  // Looks, and reports at most one variable of the node.
  void look();

 private:
  [[nodiscard]] std::string first_replaced();

  EnvironmentChanges changes_;
  std::string step_;
  channel::Client supervisor_;
  std::filesystem::path proc_;
  std::map<std::uint32_t, pid_t> tasks_;  // by local task id: those not yet seen
  LookTimes times_;
};

}  // namespace muster::task_watch
