#include "core/restart/lacking_pmix.hpp"

#include <algorithm>

#include <sys/wait.h>

namespace muster::restart {
namespace {

// Slurm's "Unspecified error" (-1) as an exit code: a slurmstepd has ended before it began. A task that is
// refused on its node ends with 1.
constexpr int unspecified_error = 255;

bool is_launch_error(std::int32_t wait_status) {
  return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == unspecified_error;
}

}  // namespace

bool may_lack_pmix(const report::Record& record) {
  const auto has_started = [](const auto& node) { return node.started.has_value(); };
  return record.created && is_launch_error(record.srun_wait_status) && record.signals.empty() &&
         !record.ending && record.ends.empty() && std::ranges::none_of(record.nodes, has_started);
}

}  // namespace muster::restart
