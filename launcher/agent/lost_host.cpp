#include "launcher/agent/lost_host.hpp"

#include "launcher/agent/job_of_step.hpp"
#include "launcher/channel/host_answers.hpp"
#include "launcher/channel/watch/lease.hpp"

#include <thread>
#include <utility>

namespace muster::agent {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// Counted from the first doubt. After the last task's exit, slurmstepd waits for less time (spank/agent.cpp).
constexpr std::chrono::seconds look_timeout{40};
// Two agents at a time make slurmctld contact the host, because each request keeps some of its threads busy
// for ten seconds.
constexpr std::uint32_t at_once = 2;
constexpr std::chrono::seconds time_of_a_turn{4};
// A successor that has not taken over by then never will, and the job must not be left to run into its time
// limit.
constexpr std::chrono::seconds time_after_a_successor{8};
// Time for the first agent to end the job, which the others then notice.
constexpr milliseconds spread{100};
constexpr milliseconds connect_time{1000};
constexpr milliseconds look_interval{1000};

struct Times {
  Clock::time_point start;
  Clock::time_point not_before;
  Clock::time_point deadline;
  Clock::time_point turn;
};

// Runs in the child process.
class Search {
 public:
  Search(const MonitoredStep& step, const Times& times)
      : step_(step), rules_(step.rules.lost_host), times_(times), job_(step) {}

  void run() {
    std::this_thread::sleep_until(times_.start);
    while (job_.can_ask() && Clock::now() < times_.deadline) {
      if (channel::host_answers(step_.supervisor.server, connect_time) || is_done()) return;
      std::this_thread::sleep_for(look_interval);
    }
  }

 private:
  bool is_done();
  bool end_job(bool requeues);

  const MonitoredStep& step_;
  const restart::LostHostRules& rules_;
  const Times times_;
  JobOfStep job_;
  std::optional<restart::HostlessJob> first_;
  bool host_tried_ = false;
};

// True if there is nothing left to do.
bool Search::is_done() {
  using restart::LostHost;
  const auto job = job_.ask(rules_.host);
  if (!job) return false;
  if (!first_) first_ = job;
  const bool late = Clock::now() >= times_.deadline - time_after_a_successor;
  const auto decision = decide_lost_host(
      rules_, *first_, *job, late ? restart::Successor::late : restart::Successor::awaited);
  if (decision == LostHost::leave) return true;
  if (decision == LostHost::succeed || Clock::now() < times_.turn) return false;
  if (decision == LostHost::wait) {
    if (!std::exchange(host_tried_, true)) job_.have_host_tried(rules_.step);
    return false;
  }
  return Clock::now() >= times_.not_before && end_job(decision == LostHost::requeue);
}

bool Search::end_job(bool requeues) {
  if (!(requeues ? job_.requeue() : job_.cancel())) return false;
  job_.tell_user(rules_.host +
                 (rules_.step.empty() ? ", the batch script's node" : ", the supervisor's node") +
                 ", no longer answers: " +
                 (requeues ? "the job goes back into the queue" : "the job is cancelled"));
  return true;
}

}  // namespace

void LostHost::suspect() {
  const auto& heartbeat = step_.rules.heartbeat;
  begin(Clock::now() + watch::fence_time(heartbeat) - watch::doubt_time(heartbeat));
}

bool LostHost::fenced() {
  fenced_ = true;
  begin(Clock::now());
  return child_ && child_->runs();
}

void LostHost::begin(Clock::time_point not_before) {
  if (step_.rules.lost_host.host.empty() || (child_ && child_->runs())) return;
  const auto place = restart::place_of(step_.supervisor.node, step_.supervisor.nodes);
  if (!place) return;
  const auto now = Clock::now();
  deadline_ = now + look_timeout;
  const Times times{.start = now + *place * spread,
                    .not_before = not_before,
                    .deadline = deadline_,
                    .turn = now + *place / at_once * time_of_a_turn};
  child_.emplace([this, times] { Search(step_, times).run(); });
}

void LostHost::finish() {
  if (fenced_ && child_) child_->wait_until(deadline_);
  child_.reset();
}

}  // namespace muster::agent
