#include "launcher/supervisor/attempts/lacks.hpp"

#include "launcher/slurm/removal.hpp"

#include <fmt/format.h>

namespace muster::attempts {
namespace {

bool forbids_shrinking(std::string_view config) {
  const auto begin = config.find("SchedulerParameters");
  if (begin == std::string_view::npos) return false;
  return config.substr(begin, config.find('\n', begin) - begin).find("disable_job_shrink") !=
         std::string_view::npos;
}

}  // namespace

std::string lacks(std::string_view config, std::chrono::seconds heartbeat) {
  if (forbids_shrinking(config)) {
    return "Slurm here lets no job give a node up (disable_job_shrink), so the loss of one may end the "
           "job; submit with --no-kill";
  }
  // Slurm pings each third of the time, and so may have heard a node that much earlier.
  const auto timeout = slurm::slurmd_timeout(config);
  if (!timeout || timeout->count() == 0 || *timeout * 2 > heartbeat * 3) return {};
  return fmt::format(
      "Slurm may call a silent node down before heartbeat={} does (SlurmdTimeout is {} s), and end the "
      "job; give a shorter heartbeat=, or submit with --no-kill",
      heartbeat.count(), timeout->count());
}

}  // namespace muster::attempts
