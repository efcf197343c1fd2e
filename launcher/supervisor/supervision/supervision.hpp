// The supervisor's work while a step runs. It learns from the agents what happens to the ranks, ends the step
// when necessary (core/restart/step_ending.hpp), and keeps what the report needs.
//
// user_signals.cpp decides what a signal from the user does.
//
// There are two threads: the agents' messages arrive in the channel's thread, and the thread that waits for
// srun acts on them.
#pragma once

#include "core/option/value_types.hpp"
#include "core/report/record.hpp"
#include "core/restart/step_ending.hpp"
#include "core/srun/ctrl_c.hpp"
#include "launcher/channel/watch/watch_server.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/slurm/srun.hpp"

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
  std::optional<std::chrono::seconds> grace;  // no value: Slurm's KillWait
  std::chrono::seconds heartbeat = option::default_heartbeat.limit;
  // A node is lost after this much silence.
  std::chrono::milliseconds loss_time = watch::loss_time(heartbeat);
  bool another_may_start = true;
  bool may_restart = false;  // restarts=: another attempt may follow in this allocation
  bool term_stops = false;   // SIGTERM stops the ranks, followed by SIGKILL after the grace period
  // Other signals that stop the ranks: the ranks get the same signal, and SIGKILL after the grace period. A
  // second signal kills them immediately.
  std::vector<int> ending_signals = {};
  bool first_ctrl_c_ends = false;  // see core/srun/ctrl_c.hpp
  bool interactive = false;        // --pty: the user may be examining a rank that has failed
  std::string job = {};            // the step's; empty if srun has yet to request one
  // Moment 0 of every record: the same for all attempts, on both clocks.
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::chrono::system_clock::time_point wall_start = std::chrono::system_clock::now();
};

// What the agents tell for slow=. StationEvents as well.
struct SlowEvents {
  std::function<void(layout::NodeIndex, slow::Piece)> arrived = {};
  std::function<void(layout::NodeIndex, slow::Traffic)> carried = {};
  std::function<void(layout::NodeIndex, watch::Examined)> examined = {};
};

class Supervision {
 public:
  // `notices` must outlive it. `output`: a StationEvent.
  Supervision(const SupervisionPolicy& policy, Notices& notices, watch::TakeOutput output = {},
              SlowEvents slow = {});

  // For the channel, which passes the agents' watches to it. The channel must end before this object.
  [[nodiscard]] std::shared_ptr<watch::WatchServer> watch_server() const { return watch_server_; }

  // For run_srun(); `started` is called as its hook.
  [[nodiscard]] slurm::SrunHooks hooks(std::function<void()> started);

  // Whether nothing has failed so far.
  [[nodiscard]] bool unharmed() const;

  // Sends SIGTERM to all ranks, and SIGKILL after the grace period, as if this process had received SIGTERM.
  void stop();

  // Call it when the step hangs and its user wants it ended in that case, as after a failure. May be called
  // from any thread.
  void on_step_hung(report::Hang hang);
  // The step hangs. If it ends before forget_hang(), the report says so. From any thread.
  void note_hang(report::Hang hang);
  void forget_hang();
  // The hang that was noted last and is not over; from any thread.
  [[nodiscard]] std::optional<report::Hang> hang() const;

  // The bytes that srun has written so far, which is the part of the ranks' output that passes through srun.
  // No value if the kernel does not report it.
  [[nodiscard]] std::optional<std::int64_t> written_by_srun() const;

  // After srun's end: waits briefly for the agents' last messages.
  void await_last_words();

  // Whether the ranks have been told to exit.
  [[nodiscard]] bool is_ending() const { return has_told(); }

  // Whether srun could not exit by itself and was killed.
  [[nodiscard]] bool killed_srun() const;

  // Whether srun was told to cancel the step, or killed, by which Slurm cancels it.
  [[nodiscard]] bool cancelled_step() const;

  // After srun's end: waits briefly for the agents' last messages. The caller fills in the names of the step
  // and the program.
  [[nodiscard]] report::Record record(const slurm::Ended& srun);

 private:
  void ended(layout::NodeIndex node, const report::RankEnd& end);
  std::chrono::milliseconds delay_after(layout::NodeIndex node, const report::RankEnd& end);
  void changed(layout::NodeIndex node, report::NodeState state);
  void slept(std::chrono::nanoseconds time);
  void cut_off(std::chrono::nanoseconds time);
  void stuck();
  void on_rank_lingering(layout::NodeIndex node, const watch::Hangs& rank);
  // `suspect_delay`: how long to wait for another failure that is more telling than this one.
  void failed(std::chrono::milliseconds suspect_delay);
  [[nodiscard]] bool has_failed() const;
  void wake() const;

  std::optional<restart::SteadyTime> next() const;
  void act(pid_t srun);
  void tell_agents();
  [[nodiscard]] bool has_told() const;
  void say_what_happened_here();
  void say_who_left();
  void say_who_lingers();

  // Defined in user_signals.cpp.
  bool takes(int signal);
  bool is_slurms_to_all(int signal);
  bool ends_by(int signal);
  void note(int signal);
  void interrupted();

  const SupervisionPolicy policy_;
  Notices& notices_;
  os::Descriptor wakes_;

  std::atomic<pid_t> srun_ = 0;

  mutable std::mutex mutex_;  // protects the members up to signals_, which other threads write
  restart::StepEnding ending_;
  std::optional<report::Hang> hang_;
  std::chrono::nanoseconds asleep_{0};
  std::vector<std::string> to_say_;               // messages about this process and its host
  std::vector<layout::NodeIndex> without_agent_;  // still to be reported to the user
  std::vector<std::pair<layout::NodeIndex, watch::Hangs>> lingering_;  // likewise

  std::optional<layout::NodeIndex> start_error_node_;  // the first; for the channel's thread only

  std::vector<report::SignalSent> signals_;
  srun::CtrlC ctrl_c_;
  report::Moment launched_;
  report::Moment over_;
  const std::shared_ptr<watch::WatchServer> watch_server_;
};

}  // namespace muster::supervision
