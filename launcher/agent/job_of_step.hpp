// The job of an agent's step, as its user's scontrol and scancel show and end it. In a process of its own:
// it changes its environment to have no other programs and no other slurm.conf than root's.
#pragma once

#include "core/restart/lost_host.hpp"
#include "launcher/agent/monitored_step.hpp"

#include <optional>
#include <string>

namespace muster::agent {

class JobOfStep {
 public:
  explicit JobOfStep(const MonitoredStep& step);

  // There are such programs here.
  [[nodiscard]] bool can_ask() const { return can_ask_; }

  // Nothing where slurmctld has not answered. `host` is the supervisor's.
  std::optional<restart::HostlessJob> ask(const std::string& host);

  // Makes slurmctld try the host now: of the batch script, or of the supervisor's step.
  void have_host_tried(const std::string& step) const;

  [[nodiscard]] bool requeue() const;
  [[nodiscard]] bool cancel() const;

  // A line in the file of the job's standard error, if that file is here and the user's.
  void tell_user(const std::string& text) const;

 private:
  const std::string node_;
  const std::string job_;  // its number
  std::string name_;       // as commands must be given it: one of an array's, "42_7"
  std::string error_file_;
  bool can_ask_ = false;
};

}  // namespace muster::agent
