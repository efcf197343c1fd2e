// What the agent tells the supervisor while its node's tasks run, and how long it may take to do so at the
// end. Reports that ranks have ended wait until the clocks have been compared. Without a supervisor, none of
// this does anything.
#pragma once

#include "launcher/agent/arrivals.hpp"
#include "launcher/agent/examination.hpp"
#include "launcher/agent/file_sizes.hpp"
#include "launcher/agent/gpu_watch.hpp"
#include "launcher/agent/links.hpp"
#include "launcher/agent/monitored_step.hpp"
#include "launcher/agent/ranks/evidence.hpp"
#include "launcher/agent/ranks/ranks.hpp"
#include "launcher/agent/ranks_at_store.hpp"
#include "launcher/agent/recorders.hpp"
#include "launcher/channel/view/tail_thread.hpp"
#include "launcher/channel/watch/watch_client.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <asio/io_context.hpp>

namespace muster::agent {

class Reporter {
 public:
  using Clock = std::chrono::steady_clock;

  // Everything passed by reference outlives the reporter.
  Reporter(asio::io_context& io, const MonitoredStep& step, const ranks::Ranks& ranks,
           ranks::Evidence& evidence, watch::LinkEvents events);

  // There is a supervisor to report to, whether or not it has been reached.
  [[nodiscard]] bool has_supervisor() const { return watch_client_.has_value(); }
  [[nodiscard]] bool established() const { return watch_client_ && watch_client_->established(); }

  // Called before the tasks start, and again when the first one starts.
  void say_hello(std::optional<Clock::time_point> first_start);

  // Call it after each event of the io_context: that event may have compared the clocks.
  void send_waiting();

  void rank_ended(std::size_t local_id);
  void remark(const std::string& text);
  void stuck(watch::Stuck stuck);
  void hangs(watch::Hangs hangs);
  // The last of the ranks had torch's process group. `line`: a warning for the user, or empty.
  void group(Clock::time_point time, std::string line);

  // Tells which ranks have come to the rendezvous; with slow=, also when the ranks have come to their
  // collectives, and what they have sent to other nodes. Call it at next_look().
  void look();
  [[nodiscard]] std::optional<Clock::time_point> next_look() const;

  // Runs the io_context until the supervisor has received everything, or until a time limit. `urgent`: worth
  // waiting for a connection.
  void deliver(bool urgent);

 private:
  static constexpr std::chrono::milliseconds first_store_interval{2000};

  void look_at_store();
  void look_at_store_for_the_last_time();
  void tell(const AtStore& at_store);
  [[nodiscard]] report::AgentTimes agent_times(const StartTimes& start) const;
  void examine(const watch::Examine& what);
  void finish_examination();
  [[nodiscard]] std::set<pid_t> processes_of_step() const;
  [[nodiscard]] std::optional<slow::GpuEvidence> look_at_gpus();
  void send_all();
  void deliver_output();
  void run_until(const bool& done, std::chrono::milliseconds time);
  watch::LinkEvents with_output(watch::LinkEvents events);

  asio::io_context& io_;
  const MonitoredStep& step_;
  const ranks::Ranks& ranks_;
  ranks::Evidence& evidence_;
  FileSizes file_sizes_;
  RanksAtStore at_store_;
  AtStore told_at_store_;
  std::chrono::milliseconds store_interval_ = first_store_interval;
  bool looks_at_store_ = false;  // once a rank has started
  std::optional<Clock::time_point> next_store_look_;
  Recorders recorders_;
  Arrivals arrivals_;
  Links links_;
  struct Examination {
    watch::Examine what;
    NodeCounters before;
    std::unique_ptr<GpuWatch> gpus;  // on a node with NVIDIA's driver
    Clock::time_point due;
  };
  std::optional<Examination> examination_;
  std::optional<watch::WatchClient> watch_client_;
  std::optional<view::TailThread> tail_;
  std::optional<Clock::time_point> first_start_;
  // Ranks that have ended, but whose times cannot be converted yet.
  std::vector<std::size_t> waiting_;
  bool hello_is_vague_ = false;  // its time was converted before the clocks had been compared
  std::string remark_;
};

}  // namespace muster::agent
