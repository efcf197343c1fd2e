// The attempts of one srun, one after the other. This loop is run by the supervisor, or by the successor of a
// supervisor that has died. What follows an attempt is decided by pure functions in core/restart
// (plan_next.hpp, requeue.hpp). The loop collects their inputs, waits, and does what they decide.
//
//   supervisor          successor
//       |                   | of the attempt that its supervisor has left
//       v                   v
//    RUNNING ------------> ENDED ---- success, a cancel, stop=, a program that cannot start, ---+
//       ^    the attempt    |         norestart=, restarts used up, no progress, the job over,  |
//       |    is over        |         input that is lost                                        |
//       |                   | it has failed                                                     |
//       |                   v                                                                   |
//       |                WAITING ---- a signal -------------------------------------------------+
//       |                   |                                                                   |
//       |                   | health= and preflight= have checked the nodes,                    |
//       |                   | and the delay is over in 0.7 s                                    |
//       |                   v                                                                   |
//       |               CHOOSING ---- a signal, too few nodes, nodes that no others can replace +
//       |                 |   ^                                                                 |
//       |                 +---+ a node is missing: once more when the delay is over             |
//       |                   |                                                                   |
//       |                   | the nodes are chosen                                              |
//       |                   v                                                                   |
//       +-------------- STARTING ---- a signal -------------------------------------------------+
//       the delay is over, and                                                                  v
//       lost nodes stand still                                                              FINISHED
//                                                   the report, a requeue if it helps, the exit code
//
// All the while, a successor on another node knows what it needs to continue (succession.hpp). A supervisor
// that has been replaced by another one never returns from Succession::check_right().
#pragma once

#include "core/report/report.hpp"
#include "core/restart/attempt_history.hpp"
#include "core/restart/plan_next.hpp"
#include "launcher/supervisor/attempts/interruption.hpp"
#include "launcher/supervisor/attempts/launch.hpp"
#include "launcher/supervisor/attempts/node_search.hpp"
#include "launcher/supervisor/attempts/requeue.hpp"
#include "launcher/supervisor/attempts/running_attempt.hpp"
#include "launcher/supervisor/attempts/standard_input.hpp"
#include "launcher/supervisor/attempts/succession.hpp"
#include "launcher/supervisor/metrics/exporter.hpp"
#include "launcher/supervisor/supervision/log_reservation.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace muster::attempts {

class RestartLoop {
 public:
  // `launch` must outlive it. Throws an Error of one line if what was requested is not possible.
  explicit RestartLoop(const Launch& launch);

  // Returns the exit code for this process.
  int run();

 private:
  using Clock = std::chrono::steady_clock;
  using Next = std::variant<restart::Finish, restart::Start>;

  // An attempt that has ended, with what this process needs for its own exit.
  struct Ended : restart::EndedAttempt {
    std::optional<int> wait_status = {};  // as in RunEnd
    bool killed_srun = false;
    std::string logs = {};  // the directory of logs=; empty if not used
  };

  // Each returns this process's exit code if no attempt follows.
  int run_all();
  std::optional<int> run_attempt();
  bool starts_without_pmix(const report::Record& record);
  std::optional<int> resume();
  std::optional<int> after_attempt(Ended ended);

  // Decides what follows, and does it.
  Next decide_restart(Ended& ended);
  Next choose_nodes(const restart::EndedAttempt& ended, Clock::time_point due);
  restart::LookedAt look_at_nodes(bool last_look);
  void check_nodes(Clock::time_point due);
  PeriodicTask leave_drained(RunningAttempt& attempt);
  void run_on(const restart::Start& start, bool old_step_remains);
  void renew_after_upgrade();
  int finish(const restart::Finish& finish, const Ended& ended);
  int end_without_another(const std::exception& error);

  [[nodiscard]] Estate estate(std::span<const restart::AttemptHistory> past) const;
  [[nodiscard]] restart::Rules rules() const;
  void keep_report(Ended& ended);  // keeps it in last_, too
  void finish_metrics();
  [[nodiscard]] std::optional<int> show_report(const report::Report& report) const;
  bool interrupted_before(Clock::time_point time);

  void reserve_logs();

  // The report with all attempts so far, and where the last one's output is.
  struct LastReport {
    report::Report report;
    std::string logs;
  };

  const Launch& launch_;
  Requeue requeue_{launch_};
  control::Socket control_;
  NodeSearch nodes_{launch_};
  Succession succession_{launch_, nodes_.allocated()};
  std::vector<std::string> drained_;  // nodes that the attempt has been stopped to leave
  restart::Placement placement_;      // where the current or next attempt runs
  srun::Command command_;             // its srun
  // Includes those of the job's earlier runs, and of an earlier version of this program.
  std::vector<restart::AttemptHistory> past_ =
      launch_.renewed ? launch_.renewed->past : requeue_.earlier();
  std::optional<LastReport> last_;
  std::vector<slow::Named> slow_;              // with slow=...+replace: of all attempts so far
  status::Run names_;                          // what distinguishes this run from others
  std::optional<metrics::Exporter> exporter_;  // none without metrics=
  std::optional<Interruption>
      interruption_;  // no value before the first attempt: a signal then ends this process
  StandardInput input_;
  std::optional<supervision::LogReservation> reservation_;  // during the first attempt
  bool beside_other_step_ = false;                          // as in StepRequest
  bool pmix_ = launch_.pmix;                                // until a launch fails because of it
};

}  // namespace muster::attempts
