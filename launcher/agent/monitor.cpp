#include "launcher/agent/monitor.hpp"

#include "core/plan/inspector.hpp"
#include "core/text/amounts.hpp"
#include "core/text/message.hpp"
#include "core/text/quote.hpp"
#include "launcher/agent/cancel_step.hpp"
#include "launcher/agent/ranks/error_file.hpp"
#include "launcher/agent/ranks/written.hpp"
#include "launcher/agent/slurmstepd_pipe.hpp"
#include "launcher/channel/async_client.hpp"
#include "launcher/os/small_file.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>
#include <fmt/format.h>

namespace muster::agent {
namespace {

using std::chrono::milliseconds;

// When to check a rank's streams and control group after it has started.
constexpr std::array look_times{milliseconds{100}, milliseconds{1000}, milliseconds{10'000}};
// After that, repeats at this interval for as long as /proc hides one of the ranks.
constexpr milliseconds hidden_look_interval{2000};
constexpr milliseconds connect_timeout{1000};  // after a failure; then the agent acts on its own

constexpr milliseconds cancel_timeout{600};
constexpr milliseconds tell_time{100};
constexpr milliseconds notice_timeout{5000};

constexpr std::size_t max_mountinfo_bytes = std::size_t{1} << 20;

std::string mountinfo() {
  return os::small_file("/proc/self/mountinfo", max_mountinfo_bytes);
}

template <class Time>
Time sooner(const Time& one, const Time& other) {
  if (!one || !other) return one ? one : other;
  return std::min(*one, *other);
}

}  // namespace

Monitor::Monitor(int pipe, MonitoredStep step, Watches& watches, os::Descriptor store)
    : step_(std::move(step)),
      watches_(watches),
      pipe_(io_, pipe),
      error_files_(io_),
      timer_(io_),
      ranks_(step_.places, step_.step, peer_of(pipe)),
      freezers_(ranks::freezer_mounts(mountinfo())),
      evidence_(step_.error_files, ranks::memory_mounts(mountinfo()), step_.stderr_files),
      reporter_(io_, step_, ranks_, evidence_, supervisor_events()),
      teardown_(step_.error_files, step_.rules.exit_timeout,
                [this] { return ranks::written_by(ranks_); }),
      views_(step_.error_files),
      hold_(ranks_, [this] { cancel_step_once(); }),
      lost_host_(step_),
      abandoned_(step_.temporary_directories, step_.node) {
  if (store) store_.emplace(io_, std::move(store), [this](const auto& text) { warn(text); });
}

Monitor::~Monitor() {
  stop_waiting();  // the owners of the descriptors close them
}

watch::LinkEvents Monitor::supervisor_events() {
  return {.end = [this](const watch::End& told) { end(told.grace); },
          .signal = [this](const watch::Signal& told) { ranks_.pass_on(told.number); },
          .hold = [this](std::chrono::nanoseconds silence) { hold(silence); },
          .go_on = [this](Clock::time_point until) { go_on(until); },
          .cut_off =
              [this](std::chrono::nanoseconds silence) {
                fence(fmt::format(
                    "no word from the supervisor for {:.1f} s: the node is cut off, and its ranks "
                    "were killed",
                    std::chrono::duration<double>(silence).count()));
              },
          .suspended = [this] { return are_suspended(); },
          .silent = [this] { lost_host_.suspect(); }};
}

void Monitor::run() {
  reporter_.say_hello(first_start_);
  await_message();
  await_error_files();
  await_time();
  clean_up();
  while (!is_over() && io_.run_one() > 0) {
    reporter_.send_waiting();
    await_time();
  }
  leave();
}

// In turn with everything else that this loop waits for.
void Monitor::clean_up() {
  constexpr std::size_t at_once = 64;
  asio::post(io_, [this] {
    if (abandoned_.examine(at_once)) clean_up();
  });
}

bool Monitor::is_over() const {
  return over_ || ranks_.complete() || (slurmstepd_gone_ && !ranks_.any_runs());
}

void Monitor::await_message() {
  pipe_.async_wait(asio::posix::stream_descriptor::wait_read, [this](std::error_code error) {
    if (error) return;
    if (take_waiting(pipe_.native_handle(), [this](const auto& frame) { take(frame); }))
      await_message();
    else
      pipe_ended();
    await_time();
  });
}

void Monitor::await_ends() {
  for (std::size_t id = 0; id < ranks_.all().size(); ++id) {
    const auto& process = ranks_.all()[id].process;
    if (!process || process->descriptor() < 0) continue;
    auto& end = ends_.emplace_back(io_, process->descriptor());
    end.async_wait(asio::posix::stream_descriptor::wait_read, [this, id](std::error_code error) {
      if (error) return;
      rank_ended(id);
      await_time();
    });
  }
}

void Monitor::await_error_files() {
  if (teardown_.descriptor() < 0) return;
  if (!error_files_.is_open()) error_files_.assign(teardown_.descriptor());
  error_files_.async_wait(asio::posix::stream_descriptor::wait_read, [this](std::error_code error) {
    if (error) return;
    teardown_.look(Clock::now());
    look_at_group();
    await_error_files();
    await_time();
  });
}

void Monitor::await_time() {
  const auto time = next();
  if (time == awaited_) return;
  awaited_ = time;
  timer_.cancel();
  if (!time) return;
  timer_.expires_at(*time);
  timer_.async_wait([this](std::error_code error) {
    if (error) return;
    awaited_.reset();
    const auto now = Clock::now();
    watches_.look();
    if (next_look_ && *next_look_ <= now) look();
    reporter_.look();
    if (end_alone_at_ && *end_alone_at_ <= now) {
      end_alone_at_.reset();
      if (is_unsupervised()) end_step_alone();
    }
    if (hold_again_ && *hold_again_ <= now) hold_still();
    if (const auto hanging = teardown_.due(now, ranks_.all())) hangs(*hanging);
    if (const auto due = ending_.due(Clock::now())) act(*due);
    await_time();
  });
}

std::optional<Monitor::Clock::time_point> Monitor::next() const {
  auto time = sooner(watches_.next(), sooner(ending_.next(), end_alone_at_));
  time = sooner(sooner(time, teardown_.next()), hold_again_);
  time = sooner(time, reporter_.next_look());
  return sooner(time, next_look_);
}

void Monitor::take(const wire::Received& frame) {
  if (frame.kind == wire::Kind::task_exit) {
    if (const auto task = wire::decode_task_exit(frame.payload)) exited(*task);
  } else if (frame.kind == wire::Kind::task_unbound) {
    if (const auto task = wire::decode_task_unbound(frame.payload)) watches_.unbound(*task);
  } else if (frame.kind == wire::Kind::tasks_started) {
    if (const auto tasks = wire::decode_tasks_started(frame.payload)) started(*tasks);
  }
}

void Monitor::started(const wire::TasksStarted& tasks) {
  if (first_start_) return;
  first_start_ = Clock::now();
  ranks_.started(tasks, *first_start_);
  watches_.started(tasks);
  await_ends();
  evidence_.look(ranks_.all());
  look_at_views();
  next_look_ = *first_start_ + look_times.front();
  if (hold_again_)
    hold_.ranks_have_changed();
  else if (may_run_until_)
    hold_.allow(*may_run_until_);
  reporter_.say_hello(first_start_);
}

void Monitor::look() {
  ranks_.look();
  hold_.ranks_have_changed();
  evidence_.look(ranks_.all());
  look_at_views();
  // Slurm starts a task as root, so a signal sent before the task runs its program may not have reached it.
  if (ending_.begun())
    act(ending_.kills() ? ranks::Ending::Act::kill : ranks::Ending::Act::terminate);
  next_look_.reset();
  if (++looks_ < look_times.size())
    next_look_ = *first_start_ + look_times.at(looks_);
  else if (ranks_.any_is_hidden())
    next_look_ = Clock::now() + hidden_look_interval;
}

// Tasks may have a /tmp of their own (job_container/tmpfs, a container).
void Monitor::look_at_views() {
  for (const auto& [id, error_file] : views_.look(ranks_.all())) {
    step_.error_files[id] = error_file;
    evidence_.moved(id, error_file);
    teardown_.moved(id, error_file, Clock::now());
  }
  look_at_group();
}

// The rank's file is read on rank 0's node only: all ranks use the same libraries.
void Monitor::look_at_group() {
  const auto group = teardown_.group();
  if (!group || !first_start_ || std::exchange(has_group_, true)) return;
  std::string line;
  for (std::size_t id = 0; step_.rules.inspects && id < step_.places.size(); ++id) {
    if (step_.places[id].rank != 0) continue;
    const auto file =
        ranks::read_error_file(step_.error_files[id].parent_path() / ranks::group_file_name);
    if (file) line = plan::inspector_remark(file->text);
  }
  reporter_.group(*group, std::move(line));
}

void Monitor::exited(const wire::TaskExit& task) {
  if (!ranks_.exited(task, Clock::now())) return;
  const auto& rank = ranks_.all()[task.local_id];
  reporter_.rank_ended(task.local_id);
  if (rank.wait_status != 0 && !rank.signalled) failed();
}

void Monitor::rank_ended(std::size_t local_id) {
  if (ranks_.ended(local_id, Clock::now()) && slurmstepd_gone_) reporter_.rank_ended(local_id);
}

// The supervisor decides which ranks to stop after a failure. If it cannot be reached, srun does not stop
// them either, because it was told to leave that to the supervisor.
void Monitor::failed() {
  failed_ = true;
  if (!is_unsupervised() || !step_.rules.ends_on_failure || ending_.begun()) return;
  if (!end_alone_at_) end_alone_at_ = Clock::now() + connect_timeout;
}

// There is a supervisor, but this agent has not reached it.
bool Monitor::is_unsupervised() const {
  return reporter_.has_supervisor() && !reporter_.established();
}

// One report of each kind is enough: after a hang, the supervisor ends the step or reports the hang; while a
// rank is still writing, the user only has to learn why nothing happens yet.
void Monitor::hangs(const ranks::Hanging& hanging) {
  bool& told = hanging.writes ? one_writes_ : one_hangs_;
  if (!reporter_.has_supervisor() || ending_.begun() || std::exchange(told, true)) return;
  const auto rank = ranks_.all()[hanging.local_id].place.rank;
  if (hanging.writes) {
    return warn(fmt::format(
        "rank {} has failed but is still writing, so it has up to {} to exit: {}", rank,
        text::duration(ranks::ExitDeadline::longest), text::printable(hanging.message)));
  }
  reporter_.hangs({rank, hanging.message});
  if (!reporter_.established()) failed();
}

void Monitor::pipe_ended() {
  slurmstepd_gone_ = is_gone(pipe_.native_handle());
  over_ = !slurmstepd_gone_ || !ranks_.any_runs();
  if (!slurmstepd_gone_) return;
  for (std::size_t id = 0; id < ranks_.all().size(); ++id) {
    const auto& rank = ranks_.all()[id];
    if (rank.end && !rank.wait_status) reporter_.rank_ended(id);
  }
  if (!over_) end_alone("slurmstepd is gone: muster stopped the ranks that were still running");
}

// The supervisor shows it to the user.
void Monitor::warn(const std::string& text) {
  if (!step_.supervisor) return;
  const auto line = text::to_line(text::Severity::warning,
                                  text::printable_path(fmt::format("{}: {}", step_.node, text)));
  asio::co_spawn(
      io_, channel::async_ask(step_.supervisor, "notice", line, Clock::now() + notice_timeout),
      asio::detached);
}

void Monitor::end_alone(const std::string& remark) {
  reporter_.remark(remark);
  end(step_.rules.grace);
}

bool Monitor::are_suspended() const {
  return ranks::are_suspended(ranks_, freezers_, hold_.stopped());
}

// Ranks that are exiting may take as long as they like, but only until another attempt could have started.
void Monitor::hold(std::chrono::nanoseconds silence) {
  if (ending_.begun()) {
    if (silence >= watch::fence_time(step_.rules.heartbeat)) end(milliseconds{0});
    return;
  }
  if (!hold_again_) holds_ = 0;
  hold_still();
  await_time();
}

// Slurm may suspend a job for hours and run another job on the same nodes. A pass over all processes ten
// times a second would disturb that job.
void Monitor::hold_still() {
  if (holds_ >= ranks::hold_times.size() && are_suspended())
    hold_.keep();
  else
    hold_.stop();
  hold_again_ =
      Clock::now() + ranks::hold_times.at(std::min(holds_++, ranks::hold_times.size() - 1));
}

void Monitor::go_on(Clock::time_point until) {
  may_run_until_ = until;
  hold_again_.reset();
  if (hold_.holds() || (first_start_ && !ending_.kills())) hold_.allow(until);
}

// No grace period: another attempt may begin elsewhere, and these ranks must not write alongside it.
void Monitor::fence(const std::string& remark) {
  reporter_.remark(remark);
  if (lost_host_.fenced()) {  // makes slurmstepd stay longer, and the agent with it
    wire::send_frame(pipe_.native_handle(), wire::Kind::busy, {}, Clock::now() + tell_time);
  }
  end(milliseconds{0});
}

void Monitor::end_step_alone() {
  end_alone("a rank failed, and no supervisor could be reached: the agent ended the step");
  cancel_step_once();
}

void Monitor::cancel_step_once() {
  if (step_.is_alone || step_cancelled_) return;
  step_cancelled_ = true;
  cancel_step(step_.cancel, step_.environment, step_.rules.owners, cancel_timeout);
}

// Suspended ranks are not resumed before they are killed.
void Monitor::end(milliseconds grace) {
  ending_.begin(Clock::now(), hold_.holds() ? milliseconds{0} : grace);
  if (const auto due = ending_.due(Clock::now())) act(*due);
  await_time();
}

void Monitor::act(ranks::Ending::Act act) {
  switch (act) {
    case ranks::Ending::Act::terminate:
      if (!hold_.holds()) ranks_.ask_to_stop();  // otherwise, SIGKILL follows immediately
      return;
    case ranks::Ending::Act::kill:
      ranks_.signal({SIGKILL});
      hold_again_.reset();
      hold_.forget();
      return;
    case ranks::Ending::Act::give_up:
      give_up();
  }
}

void Monitor::give_up() {
  watch::Stuck stuck;
  std::string states;
  for (const auto& rank : ranks_.all()) {
    if (!rank.runs()) continue;
    stuck.ranks.push_back(rank.place.rank);
    const auto stat = ranks::stat_of("/proc", rank.process->pid());
    if (stat && states.find(stat->state) == std::string::npos) states += stat->state;
  }
  if (stuck.ranks.empty()) return;
  reporter_.remark("some ranks on this node have not exited after SIGKILL" +
                   (states.empty() ? "" : fmt::format(" (state {})", states)));
  reporter_.stuck(std::move(stuck));
  over_ = slurmstepd_gone_;  // there is nothing else to wait for
}

void Monitor::stop_waiting() {
  timer_.cancel();
  awaited_.reset();
  if (pipe_.is_open()) pipe_.release();
  if (error_files_.is_open()) error_files_.release();
  if (store_) store_->close();
  for (auto& end : ends_) end.release();
  ends_.clear();
}

void Monitor::leave() {
  stop_waiting();
  for (std::size_t id = 0; slurmstepd_gone_ && id < ranks_.all().size(); ++id)
    if (ranks_.all()[id].process && !ranks_.all()[id].process->runs()) rank_ended(id);
  // Processes that failed ranks left behind may keep their output to srun open, and not every Slurm version
  // finds them. If no message reported how a rank ended, it ended with slurmstepd, and processes that it
  // started may still run.
  const bool died_with_it = slurmstepd_gone_ && !ranks_.complete();
  if ((failed_ && reporter_.has_supervisor()) || ending_.begun() || died_with_it)
    ranks_.kill_rest();
  reporter_.deliver(failed_);
  lost_host_.finish();
  if (failed_ && step_.rules.ends_on_failure && is_unsupervised()) cancel_step_once();
}

}  // namespace muster::agent
