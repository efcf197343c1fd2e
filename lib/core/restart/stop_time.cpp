#include "core/restart/stop_time.hpp"

#include <algorithm>

namespace muster::restart {
namespace {

using std::chrono::nanoseconds;

// One request for each run with stop= in this time. A limit that is shortened to less than this cannot be
// noticed in time.
constexpr std::chrono::minutes interval{2};

// Slurm moves the job's end when it resumes the job. Under salloc, the supervisor keeps running meanwhile.
constexpr std::chrono::seconds suspended_interval{10};

}  // namespace

StopTime stop_time(const std::optional<slurm::Job>& job, const std::optional<nanoseconds>& known,
                   std::chrono::seconds before, std::chrono::system_clock::time_point now) {
  if (!job) return {known, interval};
  if (!job->end) return {std::nullopt, interval};  // the limit has been removed
  const nanoseconds left = *job->end - now - before;
  if (job->state == "SUSPENDED") {
    return {std::nullopt, std::clamp<nanoseconds>(left, suspended_interval, interval)};
  }
  return {left, interval};
}

std::chrono::seconds time_left(const std::optional<slurm::Job>& job, std::chrono::seconds before,
                               std::chrono::system_clock::time_point now) {
  constexpr std::chrono::seconds accuracy{10};
  if (!job || !job->end) return before;
  const auto left = std::chrono::ceil<std::chrono::seconds>(*job->end - now);
  return left < before - accuracy ? std::max(left, std::chrono::seconds(0)) : before;
}

}  // namespace muster::restart
