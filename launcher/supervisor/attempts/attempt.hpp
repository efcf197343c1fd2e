// One attempt: srun, the channel on which its agents come, and what they say of it.
#pragma once

#include "core/status/status.hpp"
#include "launcher/agent/ranks/shared_output.hpp"
#include "launcher/channel/control/server.hpp"
#include "launcher/channel/server.hpp"
#include "launcher/channel/view/display.hpp"
#include "launcher/channel/watch/seen.hpp"
#include "launcher/slurm/srun.hpp"
#include "launcher/supervisor/attempts/environment.hpp"
#include "launcher/supervisor/attempts/launch.hpp"
#include "launcher/supervisor/attempts/standard_input.hpp"
#include "launcher/supervisor/attempts/start_line.hpp"
#include "launcher/supervisor/hang/watchdog.hpp"
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
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace muster::attempts {

// Something else to be done while srun runs, by the thread that waits for it.
struct Chore {
  std::function<std::optional<std::chrono::steady_clock::time_point>()> next = [] {
    return std::nullopt;
  };
  std::function<void()> act = [] {};
};

// One beside the other.
Chore both(Chore one, Chore other);

// An attempt among the others of its srun.
struct Turn {
  std::uint32_t number = 0;
  std::uint32_t restarts_left = 0;
};

class Attempt {
 public:
  // `launch` and `control`, at which the user asks for the step's status, must outlive it.
  Attempt(const Launch& launch, const Turn& turn, control::Socket& control);
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  ~Attempt();

  // For the shown plan: nodes that take the place of lost ones.
  void keep_idle(std::vector<std::string> spares) { view_.keep_idle(std::move(spares)); }

  // Runs srun to its end, which begins with that signal mask. Throws Error if it cannot be started.
  slurm::Ended run(const srun::Command& command, const Chore& chore, const sigset_t& mask,
                   attempts::StandardInput& input);

  // Ends the ranks, by SIGTERM and after the grace by SIGKILL. For a chore.
  void stop();
  [[nodiscard]] bool stopped() const { return stopped_; }

  // After a sleep of this process, while another one may have become the supervisor: see watch::Station.
  void may_be_replaced() { supervision_.station()->may_be_replaced(); }
  [[nodiscard]] std::optional<std::uint32_t> unconfirmed_sleep() const {
    return supervision_.station()->unconfirmed_sleep();
  }
  void confirm(std::uint32_t sleep) { supervision_.station()->confirm(sleep); }

  // SIGKILL to every rank at once. For a chore.
  void kill_ranks() { supervision_.station()->end_all(std::chrono::milliseconds(0)); }

  // Of an agent on any other node than `host`. For a chore.
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> last_word_beside(
      const std::string& host) const;

  // The step's nodes, as soon as all their agents have come. For a chore.
  [[nodiscard]] std::vector<report::NodeRecord> nodes() const;

  // Neither srun nor a rank has failed.
  [[nodiscard]] bool is_well() const;

  // What happened, Slurm's word included. Waits a moment for what the agents have still to say, and
  // ends the channel: from then on this process has one thread.
  [[nodiscard]] report::Record record();

  // The last output of a rank that has failed, where the live view does not show it anyway.
  void show_end(std::uint32_t rank) { display_.show_end(rank); }

  // srun could not end by itself, and was killed.
  [[nodiscard]] bool left_srun() const { return supervision_.left_srun(); }

  [[nodiscard]] const supervision::PlanView& view() const { return view_; }
  [[nodiscard]] const slurm::Ended& ended() const { return ended_; }

 private:
  void add_step(report::Record& record);
  [[nodiscard]] std::string status() const;
  [[nodiscard]] status::Step step(const std::vector<std::optional<status::Counts>>& counts) const;
  [[nodiscard]] std::unique_ptr<hang::Watchdog> watchdog();
  const std::optional<supervision::CreatedStep>& created();
  void draw_start();

  const Launch& launch_;
  const Turn turn_;
  const secret::Key key_ = secret::make_key();
  StartLine start_line_;
  supervision::PlanView view_;
  supervision::Notices notices_;
  view::Display display_;
  supervision::Supervision supervision_;
  supervision::StepSocket step_;
  std::optional<supervision::CreatedStep> created_;
  std::unique_ptr<channel::Server> channel_;  // ends before the others
  std::unique_ptr<control::Server> control_;  // and this one before it
  std::unique_ptr<hang::Watchdog> watchdog_;  // none without hang=
  const ranks::SharedOutput output_{STDERR_FILENO};
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  slurm::Ended ended_;
  bool stopped_ = false;
};

// The exit code. A dry run that showed nothing has failed: a script that reads its output must not take
// that for a plan. Throws Error then.
int end_of_dry_run(const Attempt& attempt);

}  // namespace muster::attempts
