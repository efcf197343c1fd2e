#include "launcher/supervisor/attempts/restart_loop.hpp"

#include "core/contains.hpp"
#include "core/error.hpp"
#include "core/logs/names.hpp"
#include "core/profile/profile.hpp"
#include "core/restart/costs.hpp"
#include "core/restart/lacking_pmix.hpp"
#include "core/restart/lost_attempt.hpp"
#include "core/restart/saved.hpp"
#include "core/srun/open_mode.hpp"
#include "core/srun/step_size.hpp"
#include "core/text/list.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/host_name.hpp"
#include "launcher/os/output.hpp"
#include "launcher/slurm/srun.hpp"
#include "launcher/slurm/srun_environment.hpp"
#include "launcher/supervisor/attempts/node_pool.hpp"
#include "launcher/supervisor/attempts/own_allocation.hpp"
#include "launcher/supervisor/attempts/progress.hpp"
#include "launcher/supervisor/attempts/renewal.hpp"
#include "launcher/supervisor/attempts/run_status.hpp"
#include "launcher/supervisor/supervision/logs.hpp"
#include "launcher/supervisor/supervision/remarks.hpp"
#include "launcher/supervisor/supervision/report_output.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace muster::attempts {
namespace {

// How long before the next attempt may start its nodes are examined.
constexpr std::chrono::milliseconds look_lead{700};

bool reads_input_again(const Launch& launch) {
  if (launch.request.restarts == 0) return false;
  return !launch.has_slurm() || reads_input(launch.command, launch.site.environment());
}

}  // namespace

namespace {

// At a prompt, the job has no number before its first step.
status::Run names_of(const Launch& launch) {
  const auto& environment = launch.site.environment();
  const auto name = supervision::name_of_run(launch.command, environment);
  return {.cluster = environment.get("SLURM_CLUSTER_NAME"),
          .user = name.job.user,
          .job = name.job.number,
          .group = launch.membership ? std::optional(launch.membership->group) : std::nullopt};
}

// The name stays that of the first attempt.
metrics::Exporter::FileName file_name(const Launch& launch) {
  return [name = std::string(), pattern = launch.request.metrics->file,
          run = supervision::name_of_run(launch.command, launch.site.environment())](
             const status::Step& step) mutable {
    if (!name.empty()) return name;
    run.step = step.run && !step.run->step.empty() ? step.run->job + "." + step.run->step : "";
    if (run.step.empty() && logs::names_step(pattern)) return std::string();
    return name = logs::metrics_file(pattern, run);
  };
}

}  // namespace

RestartLoop::RestartLoop(const Launch& launch)
    : launch_(launch),
      control_(launch.site.environment(), os::host_name()),
      command_(launch.command),
      names_(names_of(launch)),
      input_(reads_input_again(launch)) {
  forget_own_allocation();
  if (launch.request.metrics && !launch.request.dry_run) {
    exporter_.emplace(*launch.request.metrics, file_name(launch),
                      [](const std::string& line) { os::say(os::Severity::warning, line); });
  }
  const auto first = nodes_.first_nodes(past_);
  placement_.tasks_per_node = nodes_.shape().tasks_per_node;
  if (first) run_on(*first, false);
}

int RestartLoop::run() {
  interruption_.emplace(launch_.policy.start);
  const int code = run_all();
  succession_.finish(code);
  return code;
}

int RestartLoop::run_all() {
  try {
    auto code = launch_.inherited ? resume() : std::nullopt;
    if (!code) reserve_logs();
    while (!code) code = run_attempt();
    return *code;
  } catch (const std::exception& error) {
    if (!last_) throw;
    return end_without_another(error);
  }
}

// If another attempt cannot be started, the report of the attempts so far is still shown.
int RestartLoop::end_without_another(const std::exception& error) {
  os::say(os::Severity::error,
          fmt::format("no further attempt: {}", text::printable_path(error.what())));
  const auto code = show_report(last_->report);
  finish_metrics();
  requeue_.end(past_, last_->report, {}, *interruption_);
  return code.value_or(EXIT_FAILURE);
}

// Done once for a run: all its attempts get names of the same form.
void RestartLoop::reserve_logs() {
  const auto& request = launch_.request;
  if (!request.logs || request.dry_run || !launch_.has_slurm()) return;
  const auto& environment = launch_.site.environment();
  auto name = supervision::name_of_run(launch_.command, environment);
  name.attempt = static_cast<std::uint32_t>(past_.size());
  const auto directory =
      supervision::directory_to_reserve(*request.logs, name, launch_.command, environment);
  if (!directory) return;
  reservation_.emplace(*directory);
  beside_other_step_ = reservation_->is_taken();
}

std::optional<int> RestartLoop::run_attempt() {
  const auto& request = launch_.request;
  const auto number = static_cast<std::uint32_t>(past_.size());
  const auto attempts = request.restarts + request.requeue + 1;
  const bool after_requeue = number > 0 && number == requeue_.earlier().size();
  RunningAttempt attempt(launch_, {number, attempts - std::min(number + 1, attempts)}, control_,
                         {.names = names_,
                          .past = past_,
                          .after_requeue = after_requeue,
                          .exporter = exporter_ ? &*exporter_ : nullptr,
                          .beside_other_step = beside_other_step_,
                          .pmix = pmix_});
  attempt.keep_idle(placement_.spares);
  succession_.check_right();
  requeue_.begin(past_);
  succession_.begin(estate(past_));
  attempt.run(number > 0 && launch_.has_slurm()
                  ? srun::appending(command_, launch_.site.environment())
                  : command_,
              combine(combine(nodes_.removal(), leave_drained(attempt)),
                      combine(requeue_.stop(attempt), succession_.task(attempt))),
              interruption_->mask_before(), input_);
  reservation_.reset();
  succession_.check_right();
  if (request.dry_run) control_.close();
  if (request.dry_run) return end_of_dry_run(attempt);
  const bool alone =
      number == 0 && !request.report && !request.logs && !request.verbose && !request.metrics;
  if (attempt.is_well() && alone && !requeue_.judges_success(attempt)) return EXIT_SUCCESS;

  Ended ended;
  ended.record = attempt.record();
  if (starts_without_pmix(ended.record)) return std::nullopt;
  ended.report =
      report::make_report(ended.record, {.exit_of_srun = request.exit == option::Exit::slurm,
                                         .of_any_failure = launch_.code_of_any_failure});
  ended.stopped = attempt.stopped() && drained_.empty();
  ended.drained = std::exchange(drained_, {});
  ended.lost_input = input_.loss();
  ended.wait_status = attempt.ended().wait_status;
  ended.killed_srun = attempt.killed_srun();
  ended.logs = attempt.view().logs();
  if (ended.report.first) attempt.show_end(ended.report.first->end.place.rank);
  past_.push_back(restart::history_of(
      ended.report, request.progress ? std::optional(progress_of(*request.progress)) : std::nullopt,
      attempt.progress()));
  past_.back().cost->after_requeue = after_requeue;
  past_.back().start_error = restart::lone_start_error(ended.record, ended.report);
  const auto& step = ended.report.attempts.back().step;
  if (names_.step.empty()) names_.step = step.substr(std::min(step.find('.') + 1, step.size()));
  if (names_.job.empty()) names_.job = step.substr(0, step.find('.'));
  if (request.slow && request.slow->replace) {
    slow_.insert(slow_.end(), ended.record.slow.begin(), ended.record.slow.end());
  }
  nodes_.learn(ended.record, ended.report, ended.killed_srun);
  return after_attempt(std::move(ended));
}

// A node may lack the library that PMIx needs there, and the user has not asked for PMIx. This launch counts
// as no attempt. Ranks that can meet only by PMIx are not started without it: each would be alone.
bool RestartLoop::starts_without_pmix(const report::Record& record) {
  if (!pmix_ || !restart::may_lack_pmix(record)) return false;
  constexpr std::string_view what =
      "the launch failed before any rank started, as it does if a node lacks the libpmix of Slurm's "
      "PMIx plugin (see row pmix-library of `muster doctor`)";
  if (!profile::gives_meeting_place(launch_.site.profile(launch_.request.profile))) {
    os::say(os::Severity::warning, what);
    return false;
  }
  if (!input_.is_untouched()) {
    os::say(os::Severity::warning, fmt::format("{}; try again with srun --mpi=none", what));
    return false;
  }
  pmix_ = false;
  beside_other_step_ = true;  // the first launch may have made the files of this attempt
  os::say(os::Severity::warning, fmt::format("{}; starting once more without PMIx", what));
  return true;
}

// The ranks write their checkpoints and end; the next attempt prefers nodes that are not drained.
PeriodicTask RestartLoop::leave_drained(RunningAttempt& attempt) {
  if (!launch_.request.drain || !nodes_.knows_nodes()) return {};
  auto due = std::make_shared<Clock::time_point>(Clock::now() + nodes_.drained_interval());
  const auto next = [due, &attempt] {
    return attempt.stopped() ? std::nullopt : std::optional(*due);
  };
  const auto act = [this, due, &attempt] {
    if (attempt.stopped() || Clock::now() < *due) return;
    *due = Clock::now() + nodes_.drained_interval();
    if (!input_.loss().empty()) return;
    std::vector<std::string> names;
    for (const auto& node : attempt.nodes()) names.push_back(node.name);
    if (names.empty()) return;
    drained_ = nodes_.drained(names);
    if (drained_.empty()) return;
    os::say(
        os::Severity::progress,
        fmt::format(
            "{} {} being drained: stopping the ranks, which will continue on other nodes (drain=)",
            text::printable(text::join(drained_, ", ")), drained_.size() == 1 ? "is" : "are"));
    attempt.stop();
  };
  return {.next = next, .act = act};
}

// The attempt whose supervisor has died with its node ends here, as one that has lost a node.
std::optional<int> RestartLoop::resume() {
  const auto& inherited = *launch_.inherited;
  auto saved = restart::saved_from(inherited.attempts, launch_.policy.wall_start);
  if (!saved || saved->past.empty() || !nodes_.knows_nodes()) {
    throw Error("cannot use the previous supervisor's handover, or Slurm does not answer");
  }
  past_ = std::move(saved->past);
  Ended ended;
  auto& record = ended.record;
  record = restart::lost_attempt(inherited, past_.back().number, nodes_.allocation().nodes);
  record.wall_start = launch_.policy.wall_start;
  ended.report = report::make_report(record, {});
  nodes_.take_over(inherited, record);
  // Drops a host that had no ranks, and nodes that had not yet identified themselves, as before a first
  // attempt.
  std::erase_if(record.nodes,
                [&](const auto& node) { return !contains(inherited.nodes, node.name); });
  auto before = estate(std::span(past_).first(past_.size() - 1));
  before.nodes = inherited.nodes;
  before.tasks_per_node = inherited.tasks_per_node;
  succession_.begin(before);
  past_.back() = restart::history_of(ended.report, std::nullopt);
  return after_attempt(std::move(ended));
}

std::optional<int> RestartLoop::after_attempt(Ended ended) {
  const auto next = decide_restart(ended);
  if (std::holds_alternative<restart::Start>(next)) return std::nullopt;
  return finish(std::get<restart::Finish>(next), ended);
}

RestartLoop::Next RestartLoop::decide_restart(Ended& ended) {
  auto plan = restart::plan_next(rules(), past_, ended);
  const auto* const retry = std::get_if<restart::Retry>(&plan);
  auto due = Clock::now();
  if (retry != nullptr) {
    os::say(os::Severity::warning, retry->line);
    due =
        std::max(due + std::chrono::duration_cast<Clock::duration>(retry->delay), nodes_.fenced());
    check_nodes(due);
  }
  keep_report(ended);
  if (retry == nullptr) return std::get<restart::Finish>(plan);
  auto next = choose_nodes(ended, due);
  const bool starts = std::holds_alternative<restart::Start>(next);
  if (starts && interrupted_before(due)) return restart::Finish{.why = interruption_->why()};
  if (starts) renew_after_upgrade();
  return next;
}

// Returns if this process has to start the next attempt itself. A group, and a supervisor with a successor,
// share what another version may not understand.
void RestartLoop::renew_after_upgrade() {
  if (!launch_.has_slurm() || launch_.membership || launch_.request.succession) return;
  const auto version = other_version();
  if (version.empty()) return;
  if (!input_.leave_to_next_program()) {
    os::say(os::Severity::warning,
            fmt::format(
                "muster {} has been installed during this run; it cannot continue the run, because "
                "the program reads its input from a pipe; use srun --input=FILE",
                version));
    return;
  }
  os::say(os::Severity::progress,
          fmt::format("muster {} has been installed during this run and takes over", version));
  control_.close();
  renew({.line = requeue_.line(), .allocated = nodes_.allocated(), .past = past_},
        launch_.policy.wall_start);
}

// Checks that take longer than asking Slurm, in the time before the next attempt may start.
void RestartLoop::check_nodes(Clock::time_point due) {
  const auto looks = due - look_lead;
  const auto time = nodes_.check_time();
  if (time && !interrupted_before(looks - *time)) {
    nodes_.check(static_cast<std::uint32_t>(past_.size()), interruption_->descriptor());
  }
  interrupted_before(looks);
}

restart::LookedAt RestartLoop::look_at_nodes(bool last_look) {
  const auto suspects = restart::suspects(past_, past_.back().over);
  auto candidates = nodes_.candidates(suspects, interruption_->descriptor());
  if (candidates) restart::doubt_slow(*candidates, slow_);
  return {.candidates = std::move(candidates),
          .last_look = last_look,
          .lost_manager = nodes_.lost_step_manager()};
}

RestartLoop::Next RestartLoop::choose_nodes(const restart::EndedAttempt& ended,
                                            Clock::time_point due) {
  const auto interrupted = [this] { return restart::Finish{.why = interruption_->why()}; };
  const auto plan = [&](bool last_look) {
    return restart::plan_nodes(rules(), nodes_.shape(), placement_, ended.record,
                               look_at_nodes(last_look));
  };
  if (interruption_->is_there()) return interrupted();
  auto planned = plan(false);
  if (std::holds_alternative<restart::LookAgain>(planned)) {
    if (interrupted_before(due)) return interrupted();
    planned = plan(true);
  }
  if (interrupted_before(Clock::now())) return interrupted();
  const auto wanted = restart::size_after(nodes_.shape(), ended.record).wanted;
  if (const auto* const finish = std::get_if<restart::Finish>(&planned)) {
    nodes_.conclude(finish->nodes, wanted);
    return *finish;
  }
  const auto& start = std::get<restart::Start>(planned);
  // Another group has just taken one of the nodes. Each time this happens, a group has begun an attempt.
  if (!nodes_.take(start.nodes)) return choose_nodes(ended, due);
  nodes_.conclude(start.nodes, wanted);
  if (!start.line.empty()) os::say(os::Severity::progress, start.line);
  run_on(start, nodes_.old_step_remains(ended.record.step));
  return start;
}

void RestartLoop::run_on(const restart::Start& start, bool old_step_remains) {
  auto move = restart::move_to(start, placement_, old_step_remains);
  placement_ = std::move(move.placement);
  if (!move.new_options) return;
  slurm::apply(nodes_.environment());
  const bool has_manager = nodes_.knows_nodes() && !nodes_.allocation().step_manager.empty();
  command_ = srun::on_nodes(
      launch_.command, launch_.site.environment(),
      {.names = placement_.nodes,
       .tasks_per_node = *placement_.tasks_per_node,
       .beside_old_step = placement_.shares_cores,
       .share = launch_.membership ? launch_.membership->share : std::nullopt,
       .without_ports = has_manager && (placement_.shares_cores || launch_.membership)});
}

int RestartLoop::finish(const restart::Finish& finish, const Ended& ended) {
  if (finish.too_few_nodes && launch_.membership)
    launch_.membership->pool.set_short_of_nodes(launch_.membership->group.number);
  auto report = last_->report;
  report.preflight = nodes_.preflights();
  if (!finish.why.empty()) os::say(os::Severity::error, "no further attempt: " + finish.why);
  const bool interrupted = interruption_->is_there();
  const bool signalled =
      interrupted ? interruption_->is_warning() : restart::was_signalled(ended.record, report);
  if (interrupted) {
    report = interruption_->in(std::move(report));
    if (!ended.logs.empty()) supervision::keep_report(report, ended.logs);
  }
  restart::RunEnd end{.report_code = show_report(report),
                      .wait_status = ended.wait_status,
                      .srun_killed = ended.killed_srun,
                      .own_allocation = is_in_own_allocation(launch_.site.environment())};
  finish_metrics();
  requeue_.end(
      past_, report,
      {.too_few_nodes = finish.too_few_nodes, .stopped = ended.stopped, .signalled = signalled},
      *interruption_);
  control_.close();  // this process may be ended by a signal
  if (interrupted) {
    end.interrupted = interruption_->exit_code();
  } else {
    interruption_->forget_later_ones();
  }
  const auto code = restart::exit_code(end);
  return code ? *code : slurm::end_like({*ended.wait_status});
}

Estate RestartLoop::estate(std::span<const restart::AttemptHistory> past) const {
  return {.past = past,
          .job_nodes = nodes_.in_use(),
          .nodes = placement_.nodes,
          .spares = placement_.spares,
          .lost = nodes_.lost(),
          .tasks_per_node = placement_.tasks_per_node.value_or(0),
          .line = requeue_.line()};
}

restart::Rules RestartLoop::rules() const {
  const auto& request = launch_.request;
  return {.restarts = request.restarts,
          .norestart = request.norestart.codes,
          .requeue = request.requeue};
}

// Next to the logs, if there are any.
void RestartLoop::keep_report(Ended& ended) {
  auto report =
      report::with_earlier(last_ ? last_->report.attempts : std::vector<report::AttemptSummary>(),
                           std::move(ended.report));
  report.preflight = nodes_.preflights();
  report.slurm_restarts =
      supervision::name_of_run(launch_.command, launch_.site.environment()).slurm_restarts;
  restart::add_costs(report, past_);
  if (!ended.logs.empty()) supervision::keep_report(report, ended.logs);
  last_ = {.report = std::move(report), .logs = ended.logs};
}

// No rank runs any more.
void RestartLoop::finish_metrics() {
  if (!exporter_) return;
  status::Step step;
  if (!last_->report.attempts.empty()) step.ranks = last_->report.attempts.back().ranks;
  watch::Observations seen;
  seen.nodes = last_->report.nodes;
  step.run = run_of(names_, past_, {}, seen);
  exporter_->finish(step);
}

std::optional<int> RestartLoop::show_report(const report::Report& report) const {
  if (launch_.membership) {
    launch_.membership->take_report(report);
    return report.result == report::Result::ok ? std::nullopt : std::optional(report.exit_code);
  }
  const auto& environment = launch_.site.environment();
  return supervision::show_report(
      report, launch_.request, supervision::name_of_run(launch_.command, environment), last_->logs,
      supervision::is_interactive(launch_.command), launch_.doubt);
}

// A signal ends the run as it would during an attempt. In the meantime, the successor is told that this
// process is alive.
bool RestartLoop::interrupted_before(Clock::time_point time) {
  bool interrupted = interruption_->before(std::min(time, succession_.next_beat()));
  while (!interrupted && Clock::now() < time) {
    succession_.beat();
    interrupted = interruption_->before(std::min(time, succession_.next_beat()));
  }
  return interrupted;
}

}  // namespace muster::attempts
