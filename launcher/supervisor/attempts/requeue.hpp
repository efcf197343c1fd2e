// requeue= and stop=: the attempts of a batch job go on after the end of its allocation.
#pragma once

#include "core/restart/past.hpp"
#include "core/restart/requeue.hpp"
#include "core/slurm/job.hpp"
#include "launcher/supervisor/attempts/attempt.hpp"
#include "launcher/supervisor/attempts/interruption.hpp"
#include "launcher/supervisor/attempts/launch.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::attempts {

// Somebody has asked for it; a site's default counts where it is possible.
bool wants_requeue(const request::Request& request);

// Throws Error, one line, for requeue= where no job is: before an allocation is made in vain.
void refuse_requeue_outside_jobs(const request::Request& request, const Environment& environment);

class Requeue {
 public:
  // Throws Error, one line, where this is no batch job. Asks Slurm where requeue= or stop= is given.
  explicit Requeue(const Launch& launch);

  // The attempts of the job's earlier runs.
  [[nodiscard]] std::vector<restart::Past> earlier() const { return earlier_; }

  // Which one of the job's with the same words this srun line is.
  [[nodiscard]] std::uint32_t line() const { return line_; }

  // Another attempt begins: from now on it counts, even if this process is killed.
  void begin(std::span<const restart::Past> past);

  // Ends the attempt when the job's time limit is near. `attempt` must outlive it.
  [[nodiscard]] Chore stop(Attempt& attempt);

  // A success, too, may be the answer to Slurm's or the user's word: end() has to be asked.
  [[nodiscard]] bool judges_success(const Attempt& attempt) const;

  // There is no other attempt in this allocation. Does not return for a while where the job goes back
  // into the queue: Slurm ends this process, and not before it has heard that the job does.
  void end(std::span<const restart::Past> past, const report::Report& last,
           const restart::AllocationEnd& end, Interruption& interruption);

 private:
  using Clock = std::chrono::steady_clock;

  void find_file();
  void read_earlier(std::chrono::system_clock::time_point start);
  void refuse_or_ask();
  void ask_for_end(bool first);
  // Nothing is left to go on with.
  void forget() const;
  void save(std::span<const restart::Past> past, std::size_t begun);
  std::optional<slurm::Job> ask();
  bool is_requeued();
  void go(std::span<const restart::Past> past, const std::string& why, Interruption& interruption);

  const Launch& launch_;
  bool on_;
  std::string job_;   // its number
  std::string name_;  // for scontrol requeue
  std::string file_;
  std::uint32_t requeues_before_ = 0;
  std::uint32_t line_ = 0;
  std::vector<restart::Past> earlier_;
  std::optional<Clock::time_point> stop_at_;
  bool save_failed_ = false;
};

}  // namespace muster::attempts
