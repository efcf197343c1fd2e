// Which step a dump is of, as Slurm knows it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::dump {

struct RunningStep {
  std::string name;  // "42.0"
  std::string user;
  std::vector<std::string> nodes = {};
  std::uint32_t tasks = 0;

  [[nodiscard]] std::string job() const { return name.substr(0, name.find('.')); }
};

// The lines of squeue_command(). Steps that are no user's srun ("42.batch") and muster's own are left out.
std::vector<RunningStep> running_steps(std::string_view output);

// Of the job; of all jobs that the user may see where it is empty.
std::vector<std::string> squeue_command(const std::string& job);

// The one of `steps` that `name` ("42.0", "42" or "") means. Throws Error, in one line, where there is
// none, where there are several, and where it is another user's.
RunningStep chosen_step(const std::vector<RunningStep>& steps, const std::string& name,
                        const std::string& user);

// Asks Slurm. Throws Error where it does not answer.
RunningStep find_step(const std::string& name, const std::string& user,
                      std::chrono::milliseconds timeout);

}  // namespace muster::dump
