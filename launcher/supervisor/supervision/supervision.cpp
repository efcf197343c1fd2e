#include "launcher/supervisor/supervision/supervision.hpp"

#include "core/error.hpp"
#include "core/report/attribution.hpp"
#include "core/report/moments.hpp"
#include "core/restart/start_error.hpp"
#include "core/slurm/config.hpp"
#include "core/status/counters.hpp"
#include "core/text/amounts.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/host_name.hpp"
#include "launcher/os/small_file.hpp"
#include "launcher/slurm/job_state.hpp"
#include "launcher/supervisor/supervision/notices.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>

namespace muster::supervision {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// For the agents' last messages after srun's end, which are already in flight by then.
constexpr milliseconds last_words_timeout{300};

os::Descriptor wake_descriptor() {
  os::Descriptor made(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!made) throw Error(fmt::format("cannot supervise srun: {}", std::strerror(errno)));
  return made;
}

void drain(const os::Descriptor& wakes) {
  eventfd_t count = 0;
  eventfd_read(wakes.get(), &count);
}

}  // namespace

Supervision::Supervision(const SupervisionPolicy& policy, Notices& notices,
                         watch::TakeOutput output, SlowEvents slow)
    : policy_(policy),
      notices_(notices),
      wakes_(wake_descriptor()),
      ctrl_c_(policy.first_ctrl_c_ends),
      watch_server_(std::make_shared<watch::WatchServer>(
          watch::WatchLimits{.heartbeat = policy.heartbeat,
                             .loss_time = policy.loss_time,
                             .another_may_start = policy.another_may_start,
                             .start = policy.start},
          watch::WatchEvents{
              .ended = [this](auto node, const auto& end) { ended(node, end); },
              .node_changed = [this](auto node, auto state) { changed(node, state); },
              .output = std::move(output),
              .stuck = [this](auto) { stuck(); },
              .slept = [this](auto time) { slept(time); },
              .cut_off = [this](auto time) { cut_off(time); },
              .arrived = std::move(slow.arrived),
              .carried = std::move(slow.carried),
              .examined = std::move(slow.examined),
              .hangs = [this](auto node, const auto& rank) { on_rank_lingering(node, rank); },
              .warning =
                  [this](const auto& line) { notices_.insist(text::Severity::warning, line); }})) {
  ending_.ends_by_first_failure = policy.ends_by_first_failure;
}

void Supervision::ended(layout::NodeIndex node, const report::RankEnd& end) {
  if (end.wait_status != 0) failed(delay_after(node, end));
  // slurmstepd has died on that node, and srun is waiting for it.
  if (end.wait_status == report::unknown_status) {
    const std::lock_guard lock(mutex_);
    ending_.lost_node = true;
  }
  wake();
}

// If another attempt may follow, the nodes get a moment to show that they all have the same start-up error.
milliseconds Supervision::delay_after(layout::NodeIndex node, const report::RankEnd& end) {
  const auto delay = report::ending_delay(end, !has_failed());
  if (!policy_.may_restart || restart::start_sign(end) != restart::StartSign::alone) return delay;
  if (start_error_node_.value_or(node) != node) return delay;
  start_error_node_ = node;
  return std::max(delay, restart::time_for_second_node(end, watch_server_->seen().nodes));
}

void Supervision::changed(layout::NodeIndex node, report::NodeState state) {
  if (state == report::NodeState::lost) failed(milliseconds{0});
  {
    const std::lock_guard lock(mutex_);
    if (state == report::NodeState::lost) ending_.lost_node = true;
    if (state == report::NodeState::agent_gone) without_agent_.push_back(node);
  }
  wake();
}

void Supervision::slept(std::chrono::nanoseconds time) {
  {
    const std::lock_guard lock(mutex_);
    asleep_ += time;
    to_say_.push_back(fmt::format(
        "the supervisor did not run for {} (its process was stopped, or {} was suspended); "
        "muster blames no node for this",
        text::duration(time), os::host_name()));
  }
  wake();
}

void Supervision::cut_off(std::chrono::nanoseconds time) {
  {
    const std::lock_guard lock(mutex_);
    to_say_.push_back(fmt::format(
        "all nodes fell silent at the same time, {} ago: {} seems to be cut off from the "
        "network, and the supervisor is waiting for the nodes",
        text::duration(time), os::host_name()));
  }
  wake();
}

void Supervision::stuck() {
  {
    const std::lock_guard lock(mutex_);
    ending_.stuck = true;
  }
  wake();
}

// A rank has failed but its process does not exit. The failure becomes the report's first one. If muster does
// not stop anything, it tells the user why the other ranks are waiting: there may be no other sign, and a
// debugger may be attached.
void Supervision::on_rank_lingering(layout::NodeIndex node, const watch::Hangs& rank) {
  if (policy_.ends_by_first_failure && !policy_.interactive && watch_server_->seen().ranks > 1) {
    failed(milliseconds{0});
  } else {
    const std::lock_guard lock(mutex_);
    if (lingering_.size() < Notices::max_lines) lingering_.emplace_back(node, rank);
  }
  wake();
}

void Supervision::failed(milliseconds suspect_delay) {
  const std::lock_guard lock(mutex_);
  ending_.suspect_delay =
      ending_.failure ? std::min(ending_.suspect_delay, suspect_delay) : suspect_delay;
  if (!ending_.failure) ending_.failure = steady_clock::now();
}

bool Supervision::has_failed() const {
  const std::lock_guard lock(mutex_);
  return ending_.failure.has_value();
}

void Supervision::wake() const {
  eventfd_write(wakes_.get(), 1);  // a full counter wakes the thread just as well
}

slurm::SrunHooks Supervision::hooks(std::function<void()> started) {
  return {.started =
              [this, started = std::move(started)] {
                launched_ = watch_server_->moment(steady_clock::now());
                started();
                wake();  // act() finds out which process srun is
              },
          .wakes = wakes_.get(),
          .next = [this] { return next(); },
          .act = [this](pid_t srun) { act(srun); },
          .stopping = [this] { watch_server_->pause(); },
          .takes = [this](int signal) { return takes(signal); },
          .interrupted = [this] { interrupted(); }};
}

bool Supervision::unharmed() const {
  const std::lock_guard lock(mutex_);
  return !ending_.failure && !(ending_.hangs && ending_.told);
}

bool Supervision::killed_srun() const {
  const std::lock_guard lock(mutex_);
  return ending_.srun_killed;
}

bool Supervision::cancelled_step() const {
  const std::lock_guard lock(mutex_);
  return ending_.terminated || ending_.srun_killed;
}

std::optional<restart::SteadyTime> Supervision::next() const {
  const std::lock_guard lock(mutex_);
  const auto now = steady_clock::now();
  const auto decision = restart::decide_ending(ending_, now);
  return decision.measure == restart::Measure::wait ? decision.again : now;
}

void Supervision::act(pid_t srun) {
  drain(wakes_);
  srun_ = srun;
  say_what_happened_here();
  say_who_left();
  say_who_lingers();
  const bool complete = watch_server_->complete();
  std::unique_lock lock(mutex_);
  if (complete && !ending_.complete) ending_.complete = steady_clock::now();
  const auto decision = restart::decide_ending(ending_, steady_clock::now());
  if (decision.measure == restart::Measure::terminate_step)
    ending_.terminated = steady_clock::now();
  ending_.srun_killed = ending_.srun_killed || decision.measure == restart::Measure::kill_srun;
  lock.unlock();
  if (decision.measure == restart::Measure::tell_agents) tell_agents();
  if (decision.measure == restart::Measure::terminate_step) kill(srun, SIGTERM);
  if (decision.measure == restart::Measure::kill_srun) kill(srun, SIGKILL);
}

// Immediately, with the grace period known so far, because asking Slurm takes a moment.
void Supervision::tell_agents() {
  const auto known = policy_.grace.value_or(slurm::default_kill_wait);
  watch_server_->end_all(known);
  {
    const std::lock_guard lock(mutex_);
    ending_.told = steady_clock::now();
    ending_.grace = known;
  }
  if (policy_.grace) return;
  const auto kill_wait = slurm::ask_kill_wait();
  if (kill_wait == known) return;
  watch_server_->end_all(kill_wait);
  const std::lock_guard lock(mutex_);
  ending_.grace = kill_wait;
}

void Supervision::say_what_happened_here() {
  std::vector<std::string> lines;
  {
    const std::lock_guard lock(mutex_);
    lines = std::exchange(to_say_, {});
  }
  for (const auto& line : lines) notices_.insist(text::Severity::warning, line);
}

// A step continues without an agent, but muster no longer sees what happens to its ranks.
void Supervision::say_who_left() {
  std::vector<layout::NodeIndex> left;
  {
    const std::lock_guard lock(mutex_);
    left = std::exchange(without_agent_, {});
  }
  if (left.empty()) return;
  const auto nodes = watch_server_->seen().nodes;
  for (const auto node : left) {
    if (node >= nodes.size()) continue;
    notices_.show(fmt::format(
        "{}: muster-agent exited before its tasks; muster no longer reports failures on this node",
        text::printable(nodes[node].name)));
  }
}

void Supervision::say_who_lingers() {
  std::vector<std::pair<layout::NodeIndex, watch::Hangs>> lingering;
  {
    const std::lock_guard lock(mutex_);
    lingering = std::exchange(lingering_, {});
  }
  if (lingering.empty()) return;
  const auto nodes = watch_server_->seen().nodes;
  for (const auto& [node, rank] : lingering) {
    notices_.show(fmt::format("{}: rank {} has failed but does not exit: {}",
                              text::printable(nodes.at(node).name), rank.rank,
                              text::printable(rank.message)));
  }
}

void Supervision::on_step_hung(report::Hang hang) {
  {
    const std::lock_guard lock(mutex_);
    // While the dump was taken, the ranks may have exited, or one may have failed.
    const bool fails = ending_.failure && ending_.ends_by_first_failure;
    if (ending_.told || ending_.complete || fails) return;
    ending_.hangs = true;
    hang_ = std::move(hang);
  }
  wake();
}

void Supervision::note_hang(report::Hang hang) {
  const std::lock_guard lock(mutex_);
  if (!ending_.hangs) hang_ = std::move(hang);
}

std::optional<report::Hang> Supervision::hang() const {
  const std::lock_guard lock(mutex_);
  return hang_;
}

void Supervision::forget_hang() {
  const std::lock_guard lock(mutex_);
  if (!ending_.hangs) hang_.reset();
}

std::optional<std::int64_t> Supervision::written_by_srun() const {
  constexpr std::size_t max_bytes = 4096;
  const auto file = fmt::format("/proc/{}/io", srun_.load());
  const auto traffic = status::file_traffic(os::small_file(file, max_bytes));
  return traffic ? std::optional(traffic->out) : std::nullopt;
}

bool Supervision::has_told() const {
  const std::lock_guard lock(mutex_);
  return ending_.told.has_value();
}

void Supervision::await_last_words() {
  const auto deadline = steady_clock::now() + last_words_timeout;
  while (!watch_server_->complete()) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    pollfd wakes{wakes_.get(), POLLIN, 0};
    if (left.count() <= 0 || poll(&wakes, 1, static_cast<int>(left.count())) <= 0) return;
    drain(wakes_);
  }
}

report::Record Supervision::record(const slurm::Ended& srun) {
  over_ = watch_server_->moment(steady_clock::now());
  await_last_words();
  auto seen = watch_server_->seen();
  report::Record record;
  record.step = std::move(seen.step);
  record.ranks = seen.ranks;
  record.nodes = std::move(seen.nodes);
  record.node_of = std::move(seen.node_of);
  record.ends = std::move(seen.ends);
  record.signals = signals_;
  record.launched = launched_;
  record.over = over_;
  record.wall_start = policy_.wall_start;
  record.srun_wait_status = srun.wait_status;
  const std::lock_guard lock(mutex_);
  record.asleep = asleep_;
  record.standstill = hang_;
  // A hang that was found after srun's end has not ended anything.
  if (!ending_.told) return record;
  record.ending = watch_server_->moment(*ending_.told);
  if (ending_.hangs) record.hang = hang_;
  return record;
}

}  // namespace muster::supervision
