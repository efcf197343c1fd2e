#include "core/restart/step_ending.hpp"

#include <algorithm>

namespace muster::restart {
namespace {

// Returns `measure` once `due` has passed; until then, tells the caller to wait.
EndingDecision at(SteadyTime due, Measure measure, SteadyTime now) {
  if (now >= due) return {measure, std::nullopt};
  return {Measure::wait, due};
}

}  // namespace

EndingDecision decide_ending(const StepEnding& ending, SteadyTime now) {
  if (ending.srun_killed) return {};
  if (ending.hangs && !ending.told && !ending.complete) {
    return {Measure::tell_agents, std::nullopt};
  }
  if (ending.failure && ending.ends_by_first_failure && !ending.told) {
    return at(*ending.failure + ending.suspect_delay, Measure::tell_agents, now);
  }
  if (ending.complete && ending.lost_node) {
    return at(*ending.complete + last_output, Measure::kill_srun, now);
  }
  // Slurm has no stronger signal than SIGKILL either.
  if (ending.complete && ending.stuck) {
    return at(*ending.complete + sruns_end, Measure::kill_srun, now);
  }
  if (ending.terminated) return at(*ending.terminated + slurms_end, Measure::kill_srun, now);
  if (!ending.told) return {};
  auto due = *ending.told + ending.grace + agents_margin;
  if (ending.complete) due = std::min(due, *ending.complete + sruns_end);
  return at(due, Measure::terminate_step, now);
}

}  // namespace muster::restart
