#include "core/restart/stop_time.hpp"

namespace muster::restart {

StopTime stop_time(std::chrono::nanoseconds before, const slurm::Job& job,
                   std::chrono::system_clock::time_point now) {
  if (*job.end - now > before) return StopTime::comes;
  return job.start && *job.end - *job.start > before ? StopTime::is_over : StopTime::never_comes;
}

}  // namespace muster::restart
