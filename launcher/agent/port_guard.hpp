// Ends this node's tasks if another user's process listens on a port that is held for them: the ranks would
// mistake it for one of their own. Slurm then ends the rest of the step.
#pragma once

#include "launcher/agent/port/listener_watch.hpp"
#include "launcher/channel/client.hpp"

#include <optional>
#include <string>

namespace muster::agent {

class PortGuard {
 public:
  using Clock = port::ListenerWatch::Clock;

  // `step`: the name that the tasks' environment has. `supervisor`: shows the line to the user; if it does
  // not answer, the line goes to a task's stderr.
  PortGuard(port::ListenerWatch watch, std::string node, std::string step,
            channel::Client supervisor);

  // When to check again; no value when the watch is over.
  [[nodiscard]] std::optional<Clock::time_point> next() const { return watch_.next(); }

  // Checks once; takes at most about a second. Once a stranger has been found, ends tasks that have started
  // since.
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
