// When stop= stops the ranks, and when muster asks Slurm again about the job's end, which may be moved in
// either direction while the job runs. Pure.
#pragma once

#include "core/slurm/job.hpp"

#include <chrono>
#include <optional>

namespace muster::restart {

// Both counted from the answer.
struct StopTime {
  std::optional<std::chrono::nanoseconds> stop;  // no value: not as far as is known
  std::chrono::nanoseconds ask{0};

  friend bool operator==(const StopTime&, const StopTime&) = default;
};

// `job`: Slurm's answer; no value if there is none, in which case the previous one, `known`, still holds.
// `known` counts from the same moment as the result. `before`: stop='s.
StopTime stop_time(const std::optional<slurm::Job>& job,
                   const std::optional<std::chrono::nanoseconds>& known,
                   std::chrono::seconds before, std::chrono::system_clock::time_point now);

// For the line that announces the stop: how much of the job is left. That is `before`, to the accuracy of
// Slurm's times, or less if the limit has been shortened to an earlier time.
std::chrono::seconds time_left(const std::optional<slurm::Job>& job, std::chrono::seconds before,
                               std::chrono::system_clock::time_point now);

}  // namespace muster::restart
