#include "core/restart/stop_reach.hpp"

namespace muster::restart {

StopReach stop_reach(std::chrono::nanoseconds before, const slurm::Job& job,
                     std::chrono::system_clock::time_point now) {
  if (*job.end - now > before) return StopReach::comes;
  return job.start && *job.end - *job.start > before ? StopReach::is_over : StopReach::never_comes;
}

}  // namespace muster::restart
