#include "core/slurm/step_cancel.hpp"

#include "core/text/list.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace muster::slurm {
namespace {

// srun and Slurm's plugins also cancel a step, in the user's name. They say why.
constexpr std::array<std::string_view, 8> other_reasons{
    "mpi/pmi",             // a rank died, or aborted, that was connected to PMIx or PMI
    "srun: Terminating ",  // --wait, WaitTime in slurm.conf, or --kill-on-bad-exit
    "Node failure on ",
    "error: Aborting, ",  // srun has lost a node, or its connection to one
    "oom_kill event",
    "oom-kill event",          // with OOMKillStep, Slurm ends the whole step
    "exceeded memory limit ",  // likewise with JobAcctGatherParams=OverMemoryKill
    "exceeded virtual memory limit ",
};

bool contains(std::string_view line, std::string_view words) {
  return line.find(words) != std::string_view::npos;
}

// Slurm 22.05 to 25.11: "*** STEP 42.0 ON node1 CANCELLED AT 2026-01-01T00:00:12 ***"; since then " DUE to
// SIGNAL Killed" before the last stars. In capital letters, a reason of Slurm's own follows, such as the time
// limit, which the job's state or the time tells, or a task's failure.
bool is_cancel(std::string_view line, std::string_view step) {
  constexpr std::string_view cancelled = " CANCELLED AT ";
  const auto begin = line.find("error: *** STEP " + std::string(step) + " ON ");
  const auto words = line.find(cancelled, std::min(begin, line.size()));
  return words != std::string_view::npos && !contains(line.substr(words), " DUE TO ");
}

}  // namespace

bool tells_of_cancel(std::string_view text, std::string_view step) {
  if (step.empty()) return false;
  const auto gives_reason = [](std::string_view line) {
    return std::ranges::any_of(other_reasons,
                               [line](const auto words) { return contains(line, words); });
  };
  bool cancelled = false;
  for (const auto line : text::split(text, '\n')) {
    if (gives_reason(line)) return false;
    cancelled = cancelled || is_cancel(line, step);
  }
  return cancelled;
}

}  // namespace muster::slurm
