// What scontrol prints, as fields. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::slurm {

// The value of "NAME=VALUE" between spaces, the first of several lines that has it; empty where there
// is none.
std::string_view field(std::string_view text, std::string_view name);

// The line of the job with that number in what `scontrol --oneliner show job` prints: of an array's or a
// heterogeneous job's number, those of the other tasks or components, too. Empty where it is not there whole.
std::string_view job_line(std::string_view text, std::string_view job);

// What a command about one job of such a line must be given: the number of one of an array's tasks may mean
// the whole array.
std::string task_name(std::string_view line);

// The same for `scontrol update`, to which a heterogeneous job's number means all of its components.
std::string component_name(std::string_view line);

struct ShownStep {
  std::string id;    // "42.0", with the job's number
  std::string name;  // as --job-name gave it

  friend bool operator==(const ShownStep&, const ShownStep&) = default;
};

// The steps of one job in what `scontrol --oneliner show step` prints. For a task of an array Slurm writes
// "42_7.0", and for the array's own number it prints the steps of all tasks. `task`: the job's task_name().
std::vector<ShownStep> steps_of_job(std::string_view text, std::string_view job,
                                    std::string_view task);

// The number behind "NAME  = " in the text of `scontrol show config`.
std::optional<unsigned> config_number(std::string_view config, std::string_view name);

}  // namespace muster::slurm
