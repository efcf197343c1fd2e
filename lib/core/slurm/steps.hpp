// The steps of a job, as `scontrol --oneliner show step` prints them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::slurm {

struct ShownStep {
  std::string id;    // "42.0", with the job's number
  std::string name;  // as --job-name gave it

  friend bool operator==(const ShownStep&, const ShownStep&) = default;
};

// Whether srun has started the step: "42.0", not "42.extern" or "42.TBD".
bool is_numbered(std::string_view step);

// The steps of this job only: `job` is its number and `task` its Job::task. Slurm writes "40_2.0" for a step
// of an array's task, and prints the steps of all tasks when it is asked for the array's number.
std::vector<ShownStep> steps_from_text(std::string_view text, std::string_view job,
                                       std::string_view task);

}  // namespace muster::slurm
