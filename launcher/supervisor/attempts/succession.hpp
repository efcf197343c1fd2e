// succession=on, as the supervisor has it: keeps a successor on another node, and finds out whether it is
// still the one that supervises. See core/restart/succession.hpp.
#pragma once

#include "core/restart/past.hpp"
#include "launcher/supervisor/attempts/attempt.hpp"
#include "launcher/supervisor/attempts/launch.hpp"
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
  std::span<const restart::Past> past;
  std::vector<std::string> job_nodes;  // that can be used
  std::vector<std::string> nodes;      // of the attempt; empty: as the user's words have them
  std::vector<std::string> spares = {};
  std::vector<std::string> lost = {};
  std::uint32_t tasks_per_node = 0;  // of the attempt; 0: unequal numbers
  std::uint32_t allocated = 0;       // nodes of the job when its first supervisor began
  std::uint32_t line = 0;            // of the job's with the same words
};

class Succession {
 public:
  using Clock = std::chrono::steady_clock;

  // Says why there is nothing to do, where somebody has asked for it in vain. `allocated`: the nodes of the
  // job; none where they are not known.
  Succession(const Launch& launch, std::uint32_t allocated);

  // An attempt begins: it has a successor, if there is a node for one.
  void begin(const Estate& estate);

  // `attempt` must outlive it.
  [[nodiscard]] Chore chore(Attempt& attempt);

  // While no srun runs: when beat() is due, and what it says to the successor.
  [[nodiscard]] Clock::time_point next_beat() const;
  void beat();

  // Before anything is said of an attempt that has ended, and before the next one. Does not return while
  // it is not clear who supervises the job, nor where this process has lost it.
  void check_right();

  // Nothing is left to be done. A job without its batch script is ended, as nobody else would.
  void finish(int code);

 private:
  [[nodiscard]] std::string node_for_successor(const Estate& estate) const;
  void start_step(const Estate& estate);
  void send_inheritance();
  [[nodiscard]] Clock::time_point last_word() const;
  [[nodiscard]] bool is_silent() const;
  bool answers();
  void look(Attempt& attempt);
  void learn_nodes(const Attempt& attempt);
  bool has_right(std::chrono::milliseconds timeout);
  void look_at_sleep(Attempt& attempt);
  [[noreturn]] void stand_down();

  const Launch& launch_;
  const std::chrono::milliseconds heartbeat_;
  bool on_ = false;
  std::string job_;
  std::string host_;  // this one
  restart::Generation generation_ = 0;
  successor::Inheritance inheritance_;
  std::string successor_node_;
  std::optional<successor::SuccessorStep> step_;
  Clock::time_point next_beat_;
  Clock::time_point next_look_;
  Clock::time_point confirmed_;  // by slurmctld, or by an agent of another node
  bool knows_nodes_ = false;
  // This process has slept, and slurmctld has not said since that it still supervises. The successor's
  // answers may be old.
  bool unsure_ = false;
  bool fenced_ = false;
  bool lost_ = false;
  bool gone_ = false;  // the successor, as slurmctld knows, too
};

}  // namespace muster::attempts
