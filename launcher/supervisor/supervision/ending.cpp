#include "launcher/supervisor/supervision/ending.hpp"

#include <algorithm>

namespace muster::supervision {
namespace {

// That measure from `due` on; until then, wait.
Decision at(Time due, Measure measure, Time now) {
  if (now >= due) return {measure, std::nullopt};
  return {Measure::wait, due};
}

}  // namespace

Decision decide(const Course& course, Time now) {
  if (course.left) return {};
  if (course.hangs && !course.told && !course.complete) {
    return {Measure::tell_agents, std::nullopt};
  }
  if (course.failure && course.ends_by_first_failure && !course.told) {
    return at(*course.failure + course.patience, Measure::tell_agents, now);
  }
  if (course.complete && course.lost_node) {
    return at(*course.complete + last_output, Measure::kill_srun, now);
  }
  // Slurm has no other signal than SIGKILL, either.
  if (course.complete && course.stuck) {
    return at(*course.complete + sruns_end, Measure::kill_srun, now);
  }
  if (course.terminated) return at(*course.terminated + slurms_end, Measure::kill_srun, now);
  if (!course.told) return {};
  auto due = *course.told + course.grace + agents_margin;
  if (course.complete) due = std::min(due, *course.complete + sruns_end);
  return at(due, Measure::terminate_step, now);
}

}  // namespace muster::supervision
