#include "launcher/slurm/orders.hpp"

#include "core/slurm/hostlist.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/command_output.hpp"

#include <vector>

#include <fmt/format.h>

namespace muster::slurm {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds attempt_timeout{2000};

// Why scontrol did not do what it was told, in one line; empty if it did.
std::string refusal(const os::CommandResult& result, milliseconds timeout) {
  if (result.succeeded) return {};
  for (const auto line : text::split(result.output, '\n')) {
    if (!line.empty()) return text::printable_path(line);
  }
  return fmt::format("scontrol printed nothing for {} ms", timeout.count());
}

}  // namespace

std::optional<std::chrono::seconds> removal_timeout(std::chrono::seconds slurmd_timeout) {
  if (slurmd_timeout.count() <= 0) return std::nullopt;
  // slurmctld pings each node at intervals of a third of SlurmdTimeout, so the last sign of life that it has
  // seen may be that much older than ours.
  return slurmd_timeout / 2;
}

std::string keep_only(const std::string& component, std::span<const std::string> rest,
                      milliseconds timeout) {
  // In a job's environment, scontrol would write two scripts to the working directory that set the shell's
  // variables for the new nodes.
  const auto result =
      os::run_command({"env", "-u", "SLURM_JOBID", "-u", "SLURM_JOB_ID", "scontrol", "update",
                       "JobId=" + component, "NodeList=" + compress_hostlist(rest)},
                      {.timeout = timeout});
  return refusal(result, timeout);
}

std::string requeue(const std::string& task, milliseconds timeout) {
  const auto result = os::run_command({"scontrol", "requeue", task}, {.timeout = timeout});
  return refusal(result, timeout);
}

bool cancel(const std::string& task, milliseconds timeout) {
  return os::run_command({"scancel", "--quiet", task}, {.timeout = timeout}).succeeded;
}

void have_host_tried(const std::string& task, const std::string& step) {
  const std::vector<std::string> command{"scancel", "--quiet", step.empty() ? "--batch" : "--ctld",
                                         "--signal=URG", step.empty() ? task : step};
  os::run_command(command, {.timeout = attempt_timeout});
}

}  // namespace muster::slurm
