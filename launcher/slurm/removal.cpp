#include "launcher/slurm/removal.hpp"

#include "core/slurm/hostlist.hpp"
#include "core/slurm/scontrol_output.hpp"
#include "launcher/os/command_output.hpp"
#include "launcher/slurm/refusal.hpp"

namespace muster::slurm {

std::optional<std::chrono::seconds> time_to_remove(std::chrono::seconds slurmd_timeout) {
  if (slurmd_timeout.count() <= 0) return std::nullopt;
  // slurmctld asks each node every third of SlurmdTimeout, so that its own last word of the node may
  // be a third older than ours.
  return slurmd_timeout / 2;
}

std::optional<std::chrono::seconds> slurmd_timeout(std::string_view config) {
  const auto seconds = config_number(config, "SlurmdTimeout");
  if (!seconds) return std::nullopt;
  return std::chrono::seconds{*seconds};
}

std::string keep_only(const std::string& job, std::span<const std::string> rest,
                      std::chrono::milliseconds timeout) {
  // In a job's environment scontrol writes two scripts into the working directory, which set the
  // shell's variables anew.
  const auto result =
      os::run_command({"env", "-u", "SLURM_JOBID", "-u", "SLURM_JOB_ID", "scontrol", "update",
                       "JobId=" + job, "NodeList=" + compress_hostlist(rest)},
                      {.timeout = timeout});
  return refusal(result, timeout);
}

}  // namespace muster::slurm
