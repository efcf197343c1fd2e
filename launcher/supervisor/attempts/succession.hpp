// The supervisor's side of succession=on: keeps a successor on another node, and checks whether this process
// is still the supervisor. See core/restart/succession.hpp.
#pragma once

#include "core/restart/attempt_history.hpp"
#include "launcher/supervisor/attempts/launch.hpp"
#include "launcher/supervisor/attempts/running_attempt.hpp"
#include "launcher/supervisor/successor/successor_step.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::attempts {

// What a successor needs to know before an attempt.
struct Estate {
  std::span<const restart::AttemptHistory> past;
  std::vector<std::string> job_nodes;  // nodes of the job that can be used
  std::vector<std::string> nodes;      // the attempt's nodes; empty: where srun's own options say
  std::vector<std::string> spares = {};
  std::vector<std::string> lost = {};
  std::uint32_t tasks_per_node = 0;  // tasks per node of the attempt; 0: differs between the nodes
  std::uint32_t line = 0;            // the number of this srun line among those with the same words
};

class Succession {
 public:
  using Clock = std::chrono::steady_clock;

  // If the user requested a successor but cannot have one, prints one line that says why. `allocated`: how
  // many nodes the job has; 0 if unknown.
  Succession(const Launch& launch, std::uint32_t allocated);

  // Call it when an attempt begins. Starts a successor if there is a node for it.
  void begin(const Estate& estate);

  // `attempt` must outlive it.
  [[nodiscard]] PeriodicTask task(RunningAttempt& attempt);

  // While no srun runs: when beat() is due. beat() tells the successor that the supervisor is alive.
  [[nodiscard]] Clock::time_point next_beat() const;
  void beat();

  // Call it before telling the user anything about an attempt that has ended, and before the next attempt.
  // Returns once it is clear that this process supervises the job. Never returns if another one does.
  void check_right();

  // Call it when the run is over. Ends a job whose batch script has died, because nothing else would end it.
  void finish(int code);

 private:
  void start_step(const Estate& estate);
  void send_handover();
  [[nodiscard]] Clock::time_point last_word() const;
  [[nodiscard]] bool is_silent() const;
  bool answers();
  void look(RunningAttempt& attempt);
  void learn_nodes(const RunningAttempt& attempt);
  bool has_right(std::chrono::milliseconds timeout);
  void look_at_sleep(RunningAttempt& attempt);
  [[noreturn]] void stand_down();

  const Launch& launch_;
  const std::chrono::milliseconds heartbeat_;
  bool on_ = false;
  std::string job_;
  std::string host_;  // this one
  restart::Generation generation_ = 0;
  restart::Handover handover_;
  std::string successor_node_;
  std::optional<successor::SuccessorStep> step_;
  Clock::time_point next_beat_;
  Clock::time_point next_look_;
  Clock::time_point confirmed_;  // by slurmctld, or by an agent on another node
  bool knows_nodes_ = false;
  // This process was suspended, and slurmctld has not yet confirmed that it is still the job's supervisor.
  // The successor's answers may be old.
  bool unsure_ = false;
  bool fenced_ = false;
  bool lost_ = false;
  bool gone_ = false;  // the successor has died, as slurmctld confirms
};

}  // namespace muster::attempts
