// Looks once at the environment with which each of a node's tasks has started its program, a second after the
// tasks were forked. Looks again only at tasks that had not started it by then, for example in a container.
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

  // `step`: as in the tasks' environment. `supervisor`: shows the line to the user.
  EnvironmentWatch(EnvironmentChanges changes, std::string step, channel::Client supervisor,
                   std::filesystem::path proc = "/proc");

  void started(const wire::TasksStarted& tasks);

  // When to look again; no value while there is nothing to look at.
  [[nodiscard]] std::optional<Clock::time_point> next() const;

  // Looks, and reports at most one variable per node.
  void look();

 private:
  [[nodiscard]] std::string first_replaced();

  EnvironmentChanges changes_;
  std::string step_;
  channel::Client supervisor_;
  std::filesystem::path proc_;
  std::map<std::uint32_t, pid_t> tasks_;  // by local task ID: those not yet seen
  LookTimes times_;
};

}  // namespace muster::task_watch
