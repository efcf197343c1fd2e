// When the supervisor ends a step, and how far it goes: the agents end their ranks; what they
// cannot end, Slurm does; and an srun that waits for a node that is gone is not waited for. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace muster::supervision {

using Time = std::chrono::steady_clock::time_point;

// How long after the agents' SIGKILL, which comes with the end of the grace, Slurm is asked.
inline constexpr std::chrono::milliseconds agents_margin{3000};
// For srun to end by itself once all ranks have ended, or no signal ends the last of them.
inline constexpr std::chrono::milliseconds sruns_end{2000};
// The same where it cannot, because a node is gone: for the others' last output.
inline constexpr std::chrono::milliseconds last_output{300};
// For Slurm to end the step.
inline constexpr std::chrono::milliseconds slurms_end{5000};

// What is known of a step that runs.
struct Course {
  bool ends_by_first_failure = true;  // --kill-on-bad-exit
  std::chrono::milliseconds grace{0};
  std::optional<Time> failure = {};  // the first one: a rank that ended badly, or a lost node
  // How long a failure that says more is waited for: none yet tells the cause for certain.
  std::chrono::milliseconds patience{0};
  bool hangs = false;                   // the user wants it ended then
  std::optional<Time> told = {};        // the agents, to end their ranks
  std::optional<Time> complete = {};    // the agents have said all that they will
  bool lost_node = false;               // one that srun waits for in vain
  bool stuck = false;                   // there are ranks that SIGKILL does not end
  std::optional<Time> terminated = {};  // Slurm has been asked to end the step
  bool left = false;                    // srun has been killed
};

enum class Measure : std::uint8_t {
  wait,
  tell_agents,     // SIGTERM, and SIGKILL after the grace
  terminate_step,  // srun: SIGKILL to all tasks, by Slurm
  kill_srun,       // its shepherd process ends the step, and an allocation of its own
};

struct Decision {
  Measure measure = Measure::wait;
  std::optional<Time> again;  // when to decide anew even if nothing happens
};

Decision decide(const Course& course, Time now);

}  // namespace muster::supervision
