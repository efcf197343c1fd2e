// Ends the job whose batch host has died, by the user's own scontrol and scancel: see
// core/restart/lost_host.hpp. Asks slurmctld, which is made to try that host, and does nothing where the
// host answers either of the two.
#pragma once

#include "launcher/agent/monitored_step.hpp"
#include "launcher/os/background_child.hpp"

#include <optional>

namespace muster::agent {

class LostHost {
 public:
  explicit LostHost(const MonitoredStep& step) : step_(step) {}

  // The supervisor has become silent: looks at what is behind it, in a process of its own, for a minute
  // at most. Nothing where the supervisor is not on this job's batch host.
  void suspect();

  // This node has been given up: from now on the job may be ended. False where there is nothing to do.
  bool fenced();

  // Where this node is fenced, until the job is ended or will not be; else nothing is left of it.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void begin(Clock::time_point not_before);

  const MonitoredStep& step_;
  std::optional<os::BackgroundChild> child_;
  Clock::time_point deadline_;
  bool fenced_ = false;
};

}  // namespace muster::agent
