// Ends this node's tasks if a process of another user listens at a port that is held for them: the
// ranks would take it for a rank of their own. Slurm then ends the rest of the step.
#pragma once

#include "launcher/agent/port/listener_watch.hpp"
#include "launcher/channel/client.hpp"

#include <optional>
#include <string>

namespace muster::agent {

class PortGuard {
 public:
  using Clock = port::ListenerWatch::Clock;

  // `step`: as the tasks' environment names it. `supervisor`: shows the line to the user; without
  // its answer the line goes to a task's stderr.
  PortGuard(port::ListenerWatch watch, std::string node, std::string step,
            channel::Client supervisor);

  // When to look again; nothing when it is over.
  [[nodiscard]] std::optional<Clock::time_point> next() const { return watch_.next(); }

  // Looks once; takes about a second at most. Once there was a stranger, it ends the tasks that have
  // started since.
  void look();

 private:
  void report(const port::Stranger& stranger) const;
  void end_tasks() const;

  port::ListenerWatch watch_;
  std::string node_;
  std::string step_;
  channel::Client supervisor_;
  bool ended_ = false;
};

}  // namespace muster::agent
