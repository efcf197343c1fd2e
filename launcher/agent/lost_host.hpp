// Ends the job whose batch host has died, with the user's own scontrol and scancel: see
// core/restart/lost_host.hpp. Asks slurmctld, after making it contact that host, and does nothing if the
// host answers either this agent or slurmctld.
#pragma once

#include "launcher/agent/monitored_step.hpp"
#include "launcher/os/background_child.hpp"

#include <optional>

namespace muster::agent {

class LostHost {
 public:
  explicit LostHost(const MonitoredStep& step) : step_(step) {}

  // Call it when the supervisor becomes silent: finds out why, in a separate process, for at most a minute.
  // Does nothing if the supervisor is not on this job's batch host.
  void suspect();

  // Call it when this node has been given up: the job may be ended from now on. False if there is nothing to
  // do.
  bool fenced();

  // On a fenced node, waits until the job is ended or the time for that is over. Otherwise ends the child
  // process at once.
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
