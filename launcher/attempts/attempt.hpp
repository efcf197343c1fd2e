// One attempt: srun, the channel on which its agents come, and what they say of it.
#pragma once

#include "launcher/attempts/environment.hpp"
#include "launcher/attempts/launch.hpp"
#include "launcher/channel/server.hpp"
#include "launcher/supervise/notices.hpp"
#include "launcher/supervise/plan_view.hpp"
#include "launcher/supervise/srun.hpp"
#include "launcher/supervise/step_socket.hpp"
#include "launcher/supervise/supervision.hpp"
#include "launcher/view/display.hpp"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

class Attempt {
 public:
  // `launch` must outlive it.
  Attempt(const Launch& launch, std::uint32_t number);

  // For the shown plan: nodes that take the place of lost ones.
  void keep_idle(std::vector<std::string> spares) { view_.keep_idle(std::move(spares)); }

  // Runs srun to its end, which begins with that signal mask. Throws Error if it cannot be started.
  supervise::Ended run(const supervise::SrunCommand& command, const Chore& chore,
                       const sigset_t& mask);

  // Ends the ranks, by SIGTERM and after the grace by SIGKILL. For a chore.
  void stop();
  [[nodiscard]] bool stopped() const { return stopped_; }

  // Neither srun nor a rank has failed.
  [[nodiscard]] bool is_well() const;

  // What happened, Slurm's word included. Waits a moment for what the agents have still to say, and
  // ends the channel: from then on this process has one thread.
  [[nodiscard]] report::Record record();

  // The last output of a rank that has failed, where the live view does not show it anyway.
  void show_end(std::uint32_t rank) { display_.show_end(rank); }

  // srun could not end by itself, and was killed.
  [[nodiscard]] bool left_srun() const { return supervision_.left_srun(); }

  [[nodiscard]] const supervise::PlanView& view() const { return view_; }
  [[nodiscard]] const supervise::Ended& ended() const { return ended_; }

 private:
  void add_step(report::Record& record) const;

  const Launch& launch_;
  const std::uint32_t number_;
  const channel::StepKey key_ = channel::make_step_key();
  supervise::PlanView view_;
  supervise::Notices notices_;
  view::Display display_;
  supervise::Supervision supervision_;
  supervise::StepSocket step_;
  std::unique_ptr<channel::Server> channel_;  // ends before the others
  supervise::Ended ended_;
  bool stopped_ = false;
};

// The exit code. A dry run that showed nothing has failed: a script that reads its output must not take
// that for a plan. Throws Error then.
int end_of_dry_run(const Attempt& attempt);

}  // namespace muster::attempts
