// The agent while its node's tasks run. It waits for several events at once: messages from slurmstepd, the
// end of the tasks' processes, the supervisor, and the time of the next check. It uses one thread and does
// not poll.
#pragma once

#include "launcher/agent/error_directory.hpp"
#include "launcher/agent/lost_host.hpp"
#include "launcher/agent/monitored_step.hpp"
#include "launcher/agent/ranks/ending.hpp"
#include "launcher/agent/ranks/evidence.hpp"
#include "launcher/agent/ranks/hold.hpp"
#include "launcher/agent/ranks/rank_views.hpp"
#include "launcher/agent/ranks/ranks.hpp"
#include "launcher/agent/ranks/suspension.hpp"
#include "launcher/agent/ranks/teardown_watch.hpp"
#include "launcher/agent/reporter.hpp"
#include "launcher/agent/store/server.hpp"
#include "launcher/agent/watches.hpp"
#include "launcher/channel/watch/watch_client.hpp"
#include "wire/frames.hpp"

#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <string>

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>

namespace muster::agent {

class Monitor {
 public:
  using Clock = std::chrono::steady_clock;

  // `pipe` leads to slurmstepd and stays open. `watches` may be empty. `store` listens for clients of
  // torch's store; empty: this agent does not serve it.
  Monitor(int pipe, MonitoredStep step, Watches& watches, os::Descriptor store = os::Descriptor());
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  ~Monitor();

  // Runs until every task has ended or slurmstepd is gone, and the supervisor has been told.
  void run();

 private:
  // Each one waits for the next event of its kind.
  void await_message();
  void await_ends();
  void await_error_files();
  void await_time();

  void take(const wire::Received& frame);
  void started(const wire::TasksStarted& tasks);
  void exited(const wire::TaskExit& task);
  void pipe_ended();
  void rank_ended(std::size_t local_id);
  void look();
  void clean_up();
  void look_at_views();
  void look_at_group();
  void hangs(const ranks::Hanging& hanging);

  watch::LinkEvents supervisor_events();
  void failed();
  void warn(const std::string& text);
  void end_alone(const std::string& remark);
  void hold(std::chrono::nanoseconds silence);
  void hold_still();
  [[nodiscard]] bool are_suspended() const;
  void go_on(Clock::time_point until);
  void fence(const std::string& remark);
  void end_step_alone();
  void cancel_step_once();
  void end(std::chrono::milliseconds grace);
  void act(ranks::Ending::Act act);
  void give_up();

  [[nodiscard]] bool is_over() const;
  [[nodiscard]] bool is_unsupervised() const;
  [[nodiscard]] std::optional<Clock::time_point> next() const;
  void stop_waiting();
  void leave();

  MonitoredStep step_;
  Watches& watches_;
  asio::io_context io_;
  asio::posix::stream_descriptor pipe_;
  std::list<asio::posix::stream_descriptor> ends_;  // signal the end of the ranks' processes
  asio::posix::stream_descriptor error_files_;      // what the kernel reports about the error files
  asio::steady_timer timer_;
  ranks::Ranks ranks_;
  const ranks::GroupMounts freezers_;
  ranks::Evidence evidence_;
  Reporter reporter_;
  std::optional<store::Server> store_;
  ranks::TeardownWatch teardown_;
  ranks::RankViews views_;
  ranks::Ending ending_;
  ranks::Hold hold_;
  std::size_t holds_ = 0;  // how many times suspended ranks were checked in the current hold
  std::optional<Clock::time_point> hold_again_;
  std::optional<Clock::time_point> may_run_until_;  // according to the newest lease
  LostHost lost_host_;
  AbandonedDirectories abandoned_;
  std::optional<Clock::time_point> first_start_;  // the start of the first task
  std::size_t looks_ = 0;
  std::optional<Clock::time_point> next_look_;  // counted from the ranks' start
  std::optional<Clock::time_point> awaited_;    // the time that the timer is set to
  // Set if a rank has failed and no supervisor was reached: the agent then stops the other ranks at this
  // time.
  std::optional<Clock::time_point> end_alone_at_;
  bool has_group_ =
      false;  // the ranks have torch's process group, and the supervisor has been told
  bool failed_ = false;
  bool one_hangs_ = false;
  bool one_writes_ = false;
  bool step_cancelled_ = false;
  bool slurmstepd_gone_ = false;
  bool over_ = false;
};

}  // namespace muster::agent
