// What the agent looks at while a node's tasks run: each watch says when it wants to look next.
#pragma once

#include "launcher/agent/port_guard.hpp"
#include "launcher/agent/task_watch/affinity_watch.hpp"
#include "launcher/agent/task_watch/environment_watch.hpp"
#include "wire/messages.hpp"

#include <chrono>
#include <optional>

namespace muster::agent {

struct PlannedNode;
struct StepContext;

class Watches {
 public:
  using Clock = std::chrono::steady_clock;

  Watches() = default;
  Watches(const StepContext& context, const PlannedNode& node);

  void started(const wire::TasksStarted& tasks);
  void unbound(const wire::TaskUnbound& task);

  // When to look next; nothing when it is over.
  [[nodiscard]] std::optional<Clock::time_point> next() const;

  // Lets those look whose time has come.
  void look();

 private:
  std::optional<PortGuard> ports_;  // where this node holds ports for tasks
  // These two only where a supervisor can show what they find.
  std::optional<task_watch::EnvironmentWatch> environment_;
  std::optional<task_watch::AffinityWatch> affinity_;  // with verbose
};

}  // namespace muster::agent
