// requeue= and stop=: the attempts of a batch job continue after its allocation has ended.
#pragma once

#include "core/restart/attempt_history.hpp"
#include "core/restart/requeue.hpp"
#include "core/slurm/job.hpp"
#include "launcher/supervisor/attempts/interruption.hpp"
#include "launcher/supervisor/attempts/launch.hpp"
#include "launcher/supervisor/attempts/running_attempt.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::attempts {

// The user or the site has asked for it. A default of the site has no effect where a requeue is impossible.
bool wants_requeue(const request::Request& request);

// Throws Error, one line, if requeue= is given outside a job: before an allocation is made in vain.
void refuse_requeue_outside_jobs(const request::Request& request, const Environment& environment);

class Requeue {
 public:
  // Asks Slurm if requeue= or stop= is given. Throws Error, one line, if requeue= is given outside a batch
  // job.
  explicit Requeue(const Launch& launch);

  // The attempts of the job's earlier runs.
  [[nodiscard]] std::vector<restart::AttemptHistory> earlier() const { return earlier_; }

  // The number of this srun line among the job's lines with the same words.
  [[nodiscard]] std::uint32_t line() const { return line_; }

  // Another attempt begins. From now on it counts, even if this process is killed.
  void begin(std::span<const restart::AttemptHistory> past);

  // Ends the attempt when the job's time limit is near. `attempt` must outlive it.
  [[nodiscard]] PeriodicTask stop(RunningAttempt& attempt);

  // After a success end() has to decide as well: the ranks may have ended because Slurm or muster told them
  // to.
  [[nodiscard]] bool judges_success(const RunningAttempt& attempt) const;

  // There is no further attempt in this allocation. Requeues the job, or keeps or removes the saved state.
  // After a requeue it waits for Slurm to kill this process, for some seconds.
  void end(std::span<const restart::AttemptHistory> past, const report::Report& last,
           const restart::AllocationEnd& end, Interruption& interruption);

 private:
  using Clock = std::chrono::steady_clock;

  void find_file();
  void read_earlier(std::chrono::system_clock::time_point start);
  void refuse_or_ask();
  void ask_for_end(bool first);
  // Removes the saved state: nothing is left to continue.
  void forget() const;
  void save(std::span<const restart::AttemptHistory> past, std::size_t begun);
  std::optional<slurm::Job> ask();
  bool is_requeued();
  void go(std::span<const restart::AttemptHistory> past, const std::string& why,
          Interruption& interruption);

  const Launch& launch_;
  bool on_;
  std::string job_;   // its number
  std::string name_;  // for scontrol requeue
  std::string file_;
  std::uint32_t requeues_before_ = 0;
  std::uint32_t line_ = 0;
  std::vector<restart::AttemptHistory> earlier_;
  std::optional<Clock::time_point> stop_at_;
  bool save_failed_ = false;
};

}  // namespace muster::attempts
