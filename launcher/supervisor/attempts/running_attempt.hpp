// One attempt while it runs: srun, the channel to its agents, and what the agents report.
#pragma once

#include "core/status/status.hpp"
#include "launcher/agent/ranks/shared_output.hpp"
#include "launcher/channel/control/server.hpp"
#include "launcher/channel/server.hpp"
#include "launcher/channel/view/display.hpp"
#include "launcher/channel/watch/observations.hpp"
#include "launcher/slurm/srun.hpp"
#include "launcher/supervisor/attempts/environment.hpp"
#include "launcher/supervisor/attempts/launch.hpp"
#include "launcher/supervisor/attempts/periodic_task.hpp"
#include "launcher/supervisor/attempts/progress.hpp"
#include "launcher/supervisor/attempts/standard_input.hpp"
#include "launcher/supervisor/attempts/start_line.hpp"
#include "launcher/supervisor/hang/watchdog.hpp"
#include "launcher/supervisor/metrics/exporter.hpp"
#include "launcher/supervisor/slow/slow_watch.hpp"
#include "launcher/supervisor/supervision/notices.hpp"
#include "launcher/supervisor/supervision/plan_view.hpp"
#include "launcher/supervisor/supervision/step_socket.hpp"
#include "launcher/supervisor/supervision/supervision.hpp"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace muster::restart {
struct AttemptHistory;
}

namespace muster::attempts {

// The number of an attempt among those of its srun.
struct AttemptNumber {
  std::uint32_t number = 0;
  std::uint32_t restarts_left = 0;
};

// The run that the attempt belongs to.
struct RunSoFar {
  status::Run names = {};                              // what distinguishes it from others
  std::span<const restart::AttemptHistory> past = {};  // the attempts before
  bool after_requeue = false;             // this attempt is the first one after a wait in the queue
  metrics::Exporter* exporter = nullptr;  // none without metrics=
  bool beside_other_step = false;         // as in StepRequest
  bool pmix = false;                      // as in Identity
};

class RunningAttempt {
 public:
  // `launch` must outlive it, and so must `control`, which takes the user's status requests, and what
  // `run` refers to.
  RunningAttempt(const Launch& launch, const AttemptNumber& number, control::Socket& control,
                 RunSoFar run);
  RunningAttempt(const RunningAttempt&) = delete;
  RunningAttempt& operator=(const RunningAttempt&) = delete;
  ~RunningAttempt();

  // For the plan that is shown: the nodes that can replace lost ones.
  void keep_idle(std::vector<std::string> spares) { view_.keep_idle(std::move(spares)); }

  // Runs srun to its end. srun starts with the signal mask `mask`. Throws Error if it cannot be started.
  slurm::Ended run(const srun::Command& command, const PeriodicTask& task, const sigset_t& mask,
                   attempts::StandardInput& input);

  // Stops the ranks: SIGTERM, and SIGKILL after the grace period. For a periodic task.
  void stop();
  [[nodiscard]] bool stopped() const { return stopped_; }

  // This process may have been suspended, and another one may have become the supervisor in the meantime: see
  // watch::WatchServer.
  void may_be_replaced() { supervision_.watch_server()->may_be_replaced(); }
  [[nodiscard]] std::optional<std::uint32_t> unconfirmed_sleep() const {
    return supervision_.watch_server()->unconfirmed_sleep();
  }
  void confirm(std::uint32_t sleep) { supervision_.watch_server()->confirm(sleep); }

  // Immediately sends SIGKILL to every rank. For a periodic task.
  void kill_ranks() { supervision_.watch_server()->end_all(std::chrono::milliseconds(0)); }

  // When an agent on any node other than `host` was last heard from. For a periodic task.
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> last_word_beside(
      const std::string& host) const;

  // The step's nodes, as soon as all their agents have connected. For a periodic task.
  [[nodiscard]] std::vector<report::NodeRecord> nodes() const;

  // Whether neither srun nor a rank has failed.
  [[nodiscard]] bool is_well() const;

  // What happened, including what Slurm says. Waits briefly for the agents' last messages, and closes the
  // channel: from then on this process has one thread.
  [[nodiscard]] report::Record record();

  // Shows the last output of a rank that has failed, unless the live view shows it anyway.
  void show_end(std::uint32_t rank) { display_.show_end(rank); }

  // Whether srun could not exit by itself and was killed.
  [[nodiscard]] bool killed_srun() const { return supervision_.killed_srun(); }

  // When the program wrote the file of progress=.
  [[nodiscard]] cost::Progress progress() const;

  [[nodiscard]] const supervision::PlanView& view() const { return view_; }
  [[nodiscard]] const slurm::Ended& ended() const { return ended_; }

 private:
  void add_step(report::Record& record);
  void add_what_others_say(report::Record& record) const;
  [[nodiscard]] std::string status() const;
  [[nodiscard]] status::Step step(const std::vector<std::optional<status::Counts>>& counts) const;
  [[nodiscard]] status::Run run_status(const watch::Observations& seen) const;
  [[nodiscard]] std::unique_ptr<hang::Watchdog> watchdog();
  [[nodiscard]] std::unique_ptr<slow::SlowWatch> slow_watch();
  const std::optional<supervision::CreatedStep>& created();
  void draw_start();

  const Launch& launch_;
  const AttemptNumber number_;
  const RunSoFar run_;
  const secret::Key key_ = secret::make_key();
  StartLine start_line_;
  supervision::PlanView view_;
  supervision::Notices notices_;
  view::Display display_;
  std::unique_ptr<slow::SlowWatch> slow_;  // none without slow=; the channel's thread calls it
  supervision::Supervision supervision_;
  supervision::StepSocket step_;
  std::optional<supervision::CreatedStep> created_;
  std::unique_ptr<channel::Server> channel_;  // destroyed before the members above
  std::unique_ptr<control::Server> control_;  // destroyed before the channel
  std::unique_ptr<hang::Watchdog> watchdog_;  // none without hang=
  std::optional<ProgressWatch> progress_;     // none without progress=
  const ranks::SharedOutput output_{STDERR_FILENO};
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  slurm::Ended ended_;
  bool stopped_ = false;
};

// The exit code of a dry run. Throws Error if it showed nothing: a script that reads its output must not
// mistake that for a plan.
int end_of_dry_run(const RunningAttempt& attempt);

}  // namespace muster::attempts
