#include "launcher/supervisor/attempts/requeue.hpp"

#include "core/error.hpp"
#include "core/option/keys.hpp"
#include "core/request/request.hpp"
#include "core/restart/saved.hpp"
#include "core/restart/stop_reach.hpp"
#include "core/restart/stop_time.hpp"
#include "core/slurm/allocation.hpp"
#include "core/srun/job_of_line.hpp"
#include "core/text/duration.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/output.hpp"
#include "launcher/slurm/ask.hpp"
#include "launcher/slurm/controller.hpp"
#include "launcher/slurm/orders.hpp"
#include "launcher/supervisor/attempts/job_end.hpp"
#include "launcher/supervisor/attempts/line_counter.hpp"
#include "launcher/supervisor/attempts/saved_state.hpp"
#include "launcher/supervisor/supervision/remarks.hpp"

#include <algorithm>
#include <charconv>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::attempts {
namespace {

constexpr std::chrono::milliseconds facts_timeout{2000};
constexpr std::chrono::milliseconds requeue_timeout{10000};

bool is_users(const request::Request& request) {
  return source(request, option::Key("requeue")).origin != Origin::site;
}

[[noreturn]] void refuse(const request::Request& request) {
  throw Error(
      fmt::format("requeue={}: this is not a batch job, so it cannot go back into the queue; "
                  "submit a script with sbatch, or leave out requeue=",
                  request.requeue));
}

}  // namespace

bool wants_requeue(const request::Request& request) {
  return request.requeue > 0 && request.supervise && !request.dry_run;
}

void refuse_requeue_outside_jobs(const request::Request& request, const srun::Command& command,
                                 const Environment& environment) {
  if (!wants_requeue(request) || !is_users(request)) return;
  if (srun::joins_other_job(command, environment)) {
    throw Error(fmt::format(
        "requeue={}: job {} (--jobid) does not contain this srun, so a requeue would not "
        "start this srun again; leave out requeue=",
        request.requeue, text::printable(srun::job_of_line(command, environment))));
  }
  if (!environment.contains("SLURM_JOB_ID")) refuse(request);
}

Requeue::Requeue(const Launch& launch)
    : launch_(launch), on_(wants_requeue(launch.request) && !launch.request.dry_run) {
  const auto& environment = launch.site.environment();
  const bool other_job = srun::joins_other_job(launch.command, environment);
  job_ = srun::job_of_line(launch.command, environment);
  name_ = job_;
  on_ = on_ && !job_.empty() && !other_job;
  if (launch.request.dry_run || (!on_ && !launch.request.stop)) return;
  const auto& count = environment.get("SLURM_RESTART_COUNT");
  if (!other_job) std::from_chars(count.data(), count.data() + count.size(), requeues_before_);
  if (on_) refuse_or_ask();
  if (on_) {
    find_file();
    read_earlier(launch.policy.wall_start);
  }
  if (launch.request.stop) ask_for_first_end();
}

std::optional<slurm::Job> Requeue::ask() {
  auto job = slurm::ask_job(job_, facts_timeout);
  if (job) name_ = job->task;
  return job;
}

void Requeue::refuse_or_ask() {
  const auto facts = ask();
  const auto known = slurm::current_allocation(launch_.site.environment());
  const bool batch = facts ? facts->batch : known && !known->batch_host.empty();
  if (!batch && is_users(launch_.request)) refuse(launch_.request);
  on_ = batch && (!facts || facts->may_requeue);
  expedited_ = facts && facts->expedited;
  if (on_ && !expedited_) {
    // Now, because there may be little time when the job is requeued.
    const auto config = slurm::ask_config(facts_timeout).config;
    could_be_expedited_ = config && config->permits_expedited_requeue();
  }
  if (!batch || on_) return;
  os::say(os::Severity::warning,
          fmt::format("requeue={}: Slurm will not requeue job {} (--no-requeue, or the "
                      "site's JobRequeue=0); submit with --requeue",
                      launch_.request.requeue, job_));
}

// A successor continues the srun line of its supervisor, and so does the program of another version.
void Requeue::find_file() {
  file_ = saved_state_file(launch_.site.environment(), job_, launch_.command.words);
  if (file_.empty()) return;
  remove_old_states(file_);
  const auto& inherited = launch_.inherited;
  const auto& renewed = launch_.renewed;
  line_ = inherited ? inherited->line
          : renewed ? renewed->line
                    : take_line_number(file_, requeues_before_);
  file_ = state_file_of_line(file_, line_);
}

void Requeue::read_earlier(std::chrono::system_clock::time_point start) {
  if (requeues_before_ == 0 || file_.empty() || launch_.renewed) return;
  const auto text = read_saved_state(file_);
  if (!text) return;
  auto saved = restart::saved_from(*text, start);
  if (!saved) {
    os::say(os::Severity::warning,
            fmt::format("{} is damaged: restarts are counted from zero", file_));
    return;
  }
  if (saved->requeues >= requeues_before_) return;  // the lines have run in a different order
  earlier_ = std::move(saved->past);
  os::say(os::Severity::progress, fmt::format("job {} continues after requeue {} with attempt {}",
                                              job_, requeues_before_, earlier_.size()));
}

// The limit may be moved while the job runs.
std::optional<slurm::Job> Requeue::ask_for_end() {
  const auto known =
      stop_at_ ? std::optional<std::chrono::nanoseconds>(*stop_at_ - Clock::now()) : std::nullopt;
  auto job = ask();
  const auto time = restart::stop_time(job, known, launch_.request.stop->before,
                                       std::chrono::system_clock::now());
  const auto now = Clock::now();
  ask_at_ = now + std::chrono::duration_cast<Clock::duration>(time.ask);
  stop_at_.reset();
  if (time.stop) stop_at_ = now + std::chrono::duration_cast<Clock::duration>(*time.stop);
  return job;
}

void Requeue::ask_for_first_end() {
  const auto job = ask_for_end();
  const auto stop = launch_.request.stop->before;
  const auto text = text::to_text(stop, std::chrono::minutes(1));
  if (!job || !job->end) {
    os::say(os::Severity::warning,
            fmt::format("stop={}: Slurm does not say when job {} ends, so muster cannot stop "
                        "the ranks before that",
                        text, job_));
    return;
  }
  // A run that continues has had its time: its next attempt is stopped at once.
  if (launch_.inherited || launch_.renewed) return;
  const auto now = std::chrono::system_clock::now();
  const auto left = std::chrono::ceil<std::chrono::seconds>(*job->end - now);
  switch (restart::stop_reach(stop, *job, now)) {
    case restart::StopReach::comes:
      return;
    case restart::StopReach::is_over:
      stop_at_.reset();
      ask_at_.reset();
      return supervision::remark(
          launch_.command,
          fmt::format("stop={}: job {} has only {} left, so this step runs without stop=, at most "
                      "until the time limit",
                      text, job_, text::to_text(std::max(left, std::chrono::seconds(0)))));
    case restart::StopReach::never_comes:
      throw Error(fmt::format(
          "stop={}: job {} ends sooner than that; use a longer --time, or a smaller stop=", text,
          job_));
  }
}

void Requeue::save(std::span<const restart::AttemptHistory> past, std::size_t begun) {
  const restart::Saved saved{.requeues = requeues_before_,
                             .begun = static_cast<std::uint32_t>(begun),
                             .past = {past.begin(), past.end()}};
  const auto why = write_saved_state(file_, to_text(saved, launch_.policy.wall_start));
  if (!why.empty() && !save_failed_) {
    os::say(os::Severity::warning,
            fmt::format("cannot write {}: {}; after a requeue, restarts are counted from zero",
                        file_, why));
  }
  save_failed_ = !why.empty();
}

void Requeue::begin(std::span<const restart::AttemptHistory> past) {
  if (on_) save(past, past.size() + 1);
}

PeriodicTask Requeue::stop(RunningAttempt& attempt) {
  const auto is_due = [](const auto& time) { return time && *time <= Clock::now(); };
  return {.next = [this, &attempt]() -> std::optional<Clock::time_point> {
            if (attempt.stopped() || !ask_at_) return std::nullopt;
            return stop_at_ ? std::min(*stop_at_, *ask_at_) : *ask_at_;
          },
          .act =
              [this, &attempt, is_due] {
                if (attempt.stopped() || (!is_due(stop_at_) && !is_due(ask_at_))) return;
                const auto job = ask_for_end();
                if (!is_due(stop_at_)) return;
                os::say(os::Severity::progress,
                        fmt::format(
                            "job {} ends in {}: stopping the ranks (stop=)", job_,
                            text::to_text(restart::time_left(job, launch_.request.stop->before,
                                                             std::chrono::system_clock::now()))));
                attempt.stop();
              }};
}

bool Requeue::judges_success(const RunningAttempt& attempt) const {
  return on_ || attempt.stopped();
}

void Requeue::forget() const {
  if (on_) unlink(file_.c_str());
}

// Slurm kills the job's processes, and may have killed scontrol before it received the answer.
bool Requeue::is_requeued() {
  const auto facts = ask();
  return facts && (facts->requeues > requeues_before_ || facts->state == "PENDING");
}

// Without --requeue=expedite, a requeued job may start again after about two minutes at the earliest.
void Requeue::tell_of_delay() const {
  if (!could_be_expedited_) return;
  os::say(os::Severity::progress,
          "on this site, Slurm starts a requeued job again at once if it is submitted with "
          "--requeue=expedite");
}

// After the job's script, because a script may hide the failure of its srun.
void Requeue::tell_of_hold(const report::Report& last) const {
  if (!expedited_ || last.result == report::Result::ok) return;
  os::say(os::Severity::warning,
          fmt::format("if the script fails, Slurm holds job {0} in the queue (--requeue=expedite); "
                      "`scontrol release {0}` starts it again, and `scancel {0}` ends it",
                      name_));
}

void Requeue::go(std::span<const restart::AttemptHistory> past, const std::string& why,
                 Interruption& interruption) {
  save(past, past.size());
  os::say(os::Severity::progress,
          fmt::format("job {} goes back into the queue: {} (requeue {} of {})", job_, why,
                      requeues_before_ + 1, launch_.request.requeue));
  tell_of_delay();
  auto refusal = slurm::requeue(name_, requeue_timeout);
  if (!refusal.empty() && slurm::await_controller() && !is_requeued()) {
    refusal = slurm::requeue(name_, requeue_timeout);
  }
  if (refusal.empty() || is_requeued()) {
    interruption.let_through();
    std::this_thread::sleep_for(job_end_timeout);  // the rest of the script must not run
    return;
  }
  os::say(os::Severity::error, fmt::format("Slurm refused to requeue job {}: {}", job_, refusal));
  forget();
}

void Requeue::end(std::span<const restart::AttemptHistory> past, const report::Report& last,
                  const restart::AllocationEnd& end, Interruption& interruption) {
  if (!on_) return;
  auto facts = ask();
  const bool has_reason = end.stopped || end.too_few_nodes || end.signalled;
  if (!facts && has_reason && slurm::await_controller()) {
    facts = ask();
  }
  const restart::RequeueRules rules{.requeue = launch_.request.requeue,
                                    .norestart = launch_.request.norestart.codes,
                                    .requeues_before = requeues_before_};
  const auto job = facts.value_or(slurm::Job());
  const auto decision = decide_requeue(rules, end, last, job);
  if (decision.requeue) return go(past, decision.why, interruption);
  if (!decision.why.empty())
    os::say(decision.slurm_does ? os::Severity::progress : os::Severity::warning, decision.why);
  if (!decision.slurm_does) tell_of_hold(last);
  if (keeps_state(decision, last, job)) return save(past, past.size());
  forget();
}

}  // namespace muster::attempts
