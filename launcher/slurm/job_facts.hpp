// What decides about a requeue and about stop=, as Slurm has it now.
#pragma once

#include "core/restart/requeue.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace muster::slurm {

struct JobFacts {
  restart::JobNow now;
  std::string name;  // for requeue()
  bool batch = false;
  bool may_requeue = false;  // neither JobRequeue=0 nor --no-requeue
  std::optional<std::chrono::system_clock::time_point> end;  // by its time limit

  friend bool operator==(const JobFacts&, const JobFacts&) = default;
};

// From the line of `scontrol --oneliner show job`; nothing where the text is of no job.
std::optional<JobFacts> job_facts(std::string_view line);

// One call of scontrol, about the job with that number; nothing where it does not answer in time.
std::optional<JobFacts> ask_job_facts(const std::string& job, std::chrono::milliseconds timeout);

// `scontrol requeue`, with the user's own rights. Empty, or one line that says why it failed.
std::string requeue(const std::string& name, std::chrono::milliseconds timeout);

}  // namespace muster::slurm
