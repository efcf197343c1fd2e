#include "launcher/supervisor/attempts/missing_prerequisites.hpp"

#include <fmt/format.h>

namespace muster::attempts {

std::string missing_prerequisites(const slurm::Config& config, std::chrono::seconds heartbeat) {
  if (!config.permits_shrinking()) {
    return "Slurm does not let a job give up a node here (disable_job_shrink), so losing one may end "
           "the job; submit with --no-kill";
  }
  // Slurm pings at intervals of a third of that time, so a node may have answered that much earlier.
  const auto timeout = config.slurmd_timeout();
  if (!timeout || timeout->count() == 0 || *timeout * 2 > heartbeat * 3) return {};
  return fmt::format(
      "Slurm may mark a silent node down, and end the job, before heartbeat={} runs out "
      "(SlurmdTimeout is {} s); use a shorter heartbeat=, or submit with --no-kill",
      heartbeat.count(), timeout->count());
}

}  // namespace muster::attempts
