// When the supervisor ends a step, and by which means. First the agents stop their ranks. What they cannot
// stop, Slurm kills. An srun that waits for a lost node is killed. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace muster::restart {

using SteadyTime = std::chrono::steady_clock::time_point;

// From the agents' SIGKILL at the end of the grace until Slurm is asked.
inline constexpr std::chrono::milliseconds agents_margin{3000};
// For srun to end by itself once all ranks have ended, or once no signal can end the last of them.
inline constexpr std::chrono::milliseconds sruns_end{2000};
// If srun cannot end because a node is lost: for the last output of the other nodes.
inline constexpr std::chrono::milliseconds last_output{300};
// For Slurm to end the step.
inline constexpr std::chrono::milliseconds slurms_end{5000};

// What is known of a step that runs.
struct StepEnding {
  bool ends_by_first_failure = true;  // --kill-on-bad-exit
  std::chrono::milliseconds grace{0};
  std::optional<SteadyTime> failure = {};  // the first one: a rank that ended badly, or a lost node
  // How long to wait for a failure that says more, as long as none tells the cause for certain.
  std::chrono::milliseconds suspect_delay{0};
  bool hangs = false;                         // and the user wants it ended then
  std::optional<SteadyTime> told = {};        // the agents, to end their ranks
  std::optional<SteadyTime> complete = {};    // the agents have sent all their messages
  bool lost_node = false;                     // one that srun waits for in vain
  bool stuck = false;                         // there are ranks that SIGKILL does not end
  std::optional<SteadyTime> terminated = {};  // Slurm has been asked to end the step
  bool srun_killed = false;                   // srun has been killed
};

enum class Measure : std::uint8_t {
  wait,
  tell_agents,     // SIGTERM, and SIGKILL after the grace
  terminate_step,  // srun: SIGKILL to all tasks, by Slurm
  kill_srun,  // SIGKILL to srun; its helper process ends the step, and its own allocation if it has one
};

struct EndingDecision {
  Measure measure = Measure::wait;
  std::optional<SteadyTime> again;  // when to decide again even if nothing happens
};

EndingDecision decide_ending(const StepEnding& ending, SteadyTime now);

}  // namespace muster::restart
