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

// Whether the user or the site has requested it. A site's default has no effect if a requeue is impossible.
bool wants_requeue(const request::Request& request);

// Throws a one-line Error if requeue= is given outside a job, before an allocation is made for nothing, or
// for a job that does not contain this srun.
void refuse_requeue_outside_jobs(const request::Request& request, const srun::Command& command,
                                 const Environment& environment);

class Requeue {
 public:
  // Asks Slurm if requeue= or stop= is given. Throws an Error of one line if requeue= is given outside a
  // batch job.
  explicit Requeue(const Launch& launch);

  // The attempts of the job's earlier runs.
  [[nodiscard]] std::vector<restart::AttemptHistory> earlier() const { return earlier_; }

  // The number of this srun line among the job's lines with the same words.
  [[nodiscard]] std::uint32_t line() const { return line_; }

  // Call it when another attempt begins. The attempt counts from now on, even if this process is killed.
  void begin(std::span<const restart::AttemptHistory> past);

  // Ends the attempt when the job's time limit is near. `attempt` must outlive it.
  [[nodiscard]] PeriodicTask stop(RunningAttempt& attempt);

  // Whether end() also has to be called after a success: the ranks may have exited because Slurm or muster
  // told them to.
  [[nodiscard]] bool judges_success(const RunningAttempt& attempt) const;

  // Call it if there is no further attempt in this allocation. Requeues the job, or keeps or removes the
  // saved state. After a requeue, waits a few seconds for Slurm to kill this process.
  void end(std::span<const restart::AttemptHistory> past, const report::Report& last,
           const restart::AllocationEnd& end, Interruption& interruption);

 private:
  using Clock = std::chrono::steady_clock;

  void find_file();
  void read_earlier(std::chrono::system_clock::time_point start);
  void refuse_or_ask();
  std::optional<slurm::Job> ask_for_end();
  // Throws an Error of one line if the job is too short for stop=. If only the rest of the job is, the run
  // goes on without stop=.
  void ask_for_first_end();
  // Removes the saved state: there is nothing left to continue.
  void forget() const;
  void save(std::span<const restart::AttemptHistory> past, std::size_t begun);
  std::optional<slurm::Job> ask();
  bool is_requeued();
  void tell_of_delay() const;
  void tell_of_hold(const report::Report& last) const;
  void go(std::span<const restart::AttemptHistory> past, const std::string& why,
          Interruption& interruption);

  const Launch& launch_;
  bool on_;
  std::string job_;   // its number
  std::string name_;  // the name to give to scontrol requeue
  std::string file_;
  std::uint32_t requeues_before_ = 0;
  std::uint32_t line_ = 0;
  std::vector<restart::AttemptHistory> earlier_;
  std::optional<Clock::time_point> stop_at_;  // as far as is known
  std::optional<Clock::time_point> ask_at_;   // no value without stop=
  bool save_failed_ = false;
  bool expedited_ = false;           // slurm::Job::expedited
  bool could_be_expedited_ = false;  // the site allows it, and the job does not use it
};

}  // namespace muster::attempts
