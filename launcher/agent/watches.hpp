// What the agent checks while a node's tasks run. Each watch says when it wants to check next.
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

  // When to check next; no value when all watches are over.
  [[nodiscard]] std::optional<Clock::time_point> next() const;

  // Runs the watches that are due.
  void look();

 private:
  std::optional<PortGuard> ports_;  // if this node holds ports for tasks
  // Set only if a supervisor can show what these two find.
  std::optional<task_watch::EnvironmentWatch> environment_;
  std::optional<task_watch::AffinityWatch> affinity_;  // with verbose
};

}  // namespace muster::agent
