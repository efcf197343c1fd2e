// The supervisor's part while a step runs: it hears from the agents what happens to the ranks, ends
// the step when it must, and keeps what the report needs.
//
// Two threads: what the agents say arrives in the channel's; what is done about it is done by the
// thread that waits for srun.
#pragma once

#include "core/report/record.hpp"
#include "launcher/channel/watch/station.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/slurm/srun.hpp"
#include "launcher/supervisor/supervision/ending.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::supervision {

class Notices;

struct SupervisionPolicy {
  bool ends_by_first_failure = true;          // --kill-on-bad-exit
  std::optional<std::chrono::seconds> grace;  // nothing: Slurm's KillWait
  std::chrono::seconds heartbeat{10};
  // A node that is silent for so long is lost.
  std::chrono::milliseconds loss_time = watch::loss_time(heartbeat);
  bool another_may_start = true;
  bool term_stops = false;  // SIGTERM ends the ranks: after the grace by SIGKILL
  // Others that do: the ranks get the same signal, and after the grace SIGKILL. A second one ends them
  // at once.
  std::vector<int> ending_signals = {};
  bool interactive = false;  // --pty: somebody may be looking into a rank that has failed
  // Time 0 of every record: the same for all attempts, on both clocks.
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::chrono::system_clock::time_point wall_start = std::chrono::system_clock::now();
};

class Supervision {
 public:
  // `notices` must outlive it. `output`: a StationEvent.
  Supervision(const SupervisionPolicy& policy, Notices& notices, watch::TakeOutput output = {});

  // For the channel, which hands it the agents' watches. The channel must end before this.
  [[nodiscard]] std::shared_ptr<watch::Station> station() const { return station_; }

  // For run_srun(); `started` is called as its hook.
  [[nodiscard]] slurm::SrunHooks hooks(std::function<void()> started);

  // Nothing has failed, as far as is known now.
  [[nodiscard]] bool unharmed() const;

  // SIGTERM to all ranks, and SIGKILL after the grace, as if this process had been sent SIGTERM.
  void stop();

  // Nothing of the step moves, and its user wants it ended then: as after a failure. From any thread.
  void hangs(report::Hang hang);

  // What srun has written so far: the ranks' output, as far as it comes to srun. Nothing where the kernel
  // does not say.
  [[nodiscard]] std::optional<std::int64_t> written_by_srun() const;

  // After srun's end: a moment for what the agents have still to say.
  void await_last_words();

  // The ranks have been told to end.
  [[nodiscard]] bool is_ending() const { return has_told(); }

  // srun could not end by itself, and was killed.
  [[nodiscard]] bool left_srun() const;

  // After srun's end: waits a moment for what the agents have still to say. The step's and the
  // program's names are the caller's to fill.
  [[nodiscard]] report::Record record(const slurm::Ended& srun);

 private:
  void ended(const report::RankEnd& end);
  void changed(layout::NodeIndex node, report::NodeState state);
  void slept(std::chrono::nanoseconds time);
  void cut_off(std::chrono::nanoseconds time);
  void stuck();
  void hangs(layout::NodeIndex node, const watch::Hangs& rank);
  // `patience`: how long another failure is waited for that says more than this one.
  void failed(std::chrono::milliseconds patience);
  [[nodiscard]] bool has_failed() const;
  void wake() const;

  std::optional<Time> next() const;
  void act(pid_t srun);
  void tell_agents();
  [[nodiscard]] bool has_told() const;
  void say_what_happened_here();
  void say_who_left();
  void say_who_hangs();
  bool takes(int signal);
  bool is_slurms_to_all(int signal);
  bool ends_by(int signal);

  const SupervisionPolicy policy_;
  Notices& notices_;
  os::Descriptor wakes_;

  std::atomic<pid_t> srun_ = 0;

  mutable std::mutex mutex_;  // of those that other threads write
  Course course_;
  std::optional<report::Hang> hang_;
  std::chrono::nanoseconds asleep_{0};
  std::vector<std::string> to_say_;                                  // of this process and its host
  std::vector<layout::NodeIndex> without_agent_;                     // to be told to the user
  std::vector<std::pair<layout::NodeIndex, watch::Hangs>> hanging_;  // likewise

  std::vector<report::SignalSent> signals_;
  report::Moment launched_;
  report::Moment over_;
  const std::shared_ptr<watch::Station> station_;
};

}  // namespace muster::supervision
