// When the supervisor ends a step, and by which means. First the agents stop their ranks. Slurm kills what
// they cannot stop. An srun that is waiting for a lost node is killed. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace muster::restart {

using SteadyTime = std::chrono::steady_clock::time_point;

// From the agents' SIGKILL at the end of the grace period until Slurm is asked.
inline constexpr std::chrono::milliseconds agents_margin{3000};
// How long srun has to exit by itself once all ranks have ended, or once no signal can end the last of them.
inline constexpr std::chrono::milliseconds sruns_end{2000};
// If srun cannot exit because a node is lost: time for the last output of the other nodes.
inline constexpr std::chrono::milliseconds last_output{300};
// Time for Slurm to end the step.
inline constexpr std::chrono::milliseconds slurms_end{5000};

// What is known about a running step.
struct StepEnding {
  bool ends_by_first_failure = true;  // --kill-on-bad-exit
  std::chrono::milliseconds grace{0};
  std::optional<SteadyTime> failure = {};  // the first one: a rank that failed, or a lost node
  // How long to wait for a more telling failure while none shows the cause for certain, or for a second node
  // with the same start-up error.
  std::chrono::milliseconds suspect_delay{0};
  bool hangs = false;                   // the step hangs, and the user wants it ended in that case
  std::optional<SteadyTime> told = {};  // when the agents were told to stop their ranks
  std::optional<SteadyTime> complete = {};  // when the agents had sent all their messages
  bool lost_node = false;  // srun is waiting for a lost node, which will never answer
  bool stuck = false;      // there are ranks that SIGKILL does not end
  std::optional<SteadyTime> terminated = {};  // when Slurm was asked to end the step
  bool srun_killed = false;                   // srun has been killed
};

enum class Measure : std::uint8_t {
  wait,
  tell_agents,     // SIGTERM, and SIGKILL after the grace period
  terminate_step,  // srun: SIGKILL to all tasks, by Slurm
  kill_srun,  // SIGKILL to srun; its helper process ends the step, and its own allocation if it has one
};

struct EndingDecision {
  Measure measure = Measure::wait;
  std::optional<SteadyTime> again;  // when to decide again even if nothing happens
};

EndingDecision decide_ending(const StepEnding& ending, SteadyTime now);

}  // namespace muster::restart
