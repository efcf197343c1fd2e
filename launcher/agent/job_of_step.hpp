// The job of an agent's step: queried and ended with scontrol and scancel, run as its user. For a separate
// process: it changes its environment so that only programs and a slurm.conf of Slurm's owners are used.
#pragma once

#include "core/restart/lost_host.hpp"
#include "launcher/agent/monitored_step.hpp"

#include <optional>
#include <string>

namespace muster::agent {

class JobOfStep {
 public:
  explicit JobOfStep(const MonitoredStep& step);

  // Whether such programs exist here.
  [[nodiscard]] bool can_ask() const { return can_ask_; }

  // No value if slurmctld did not answer. `host` is the supervisor's.
  std::optional<restart::HostlessJob> ask(const std::string& host);

  // Makes slurmctld contact the host now: the batch script's host, or that of the supervisor's step.
  void have_host_tried(const std::string& step) const;

  [[nodiscard]] bool requeue() const;
  [[nodiscard]] bool cancel() const;

  // Adds a line to the file of the job's standard error, if that file is on this node and belongs to the
  // user.
  void tell_user(const std::string& text) const;

 private:
  const std::string node_;
  const std::string job_;  // its number
  std::string name_;       // the form that commands require: "42_7" for a task of an array
  std::string error_file_;
  bool can_ask_ = false;
};

}  // namespace muster::agent
