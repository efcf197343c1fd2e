#include "launcher/supervisor/attempts/course.hpp"

#include "core/error.hpp"
#include "core/report/summary.hpp"
#include "core/restart/decision.hpp"
#include "core/srun/het_step.hpp"
#include "core/srun/open_mode.hpp"
#include "core/text/quote.hpp"
#include "launcher/os/host_name.hpp"
#include "launcher/os/output.hpp"
#include "launcher/slurm/ask.hpp"
#include "launcher/slurm/old_step.hpp"
#include "launcher/slurm/srun.hpp"
#include "launcher/slurm/srun_environment.hpp"
#include "launcher/supervisor/attempts/lacks.hpp"
#include "launcher/supervisor/attempts/next_nodes_text.hpp"
#include "launcher/supervisor/attempts/progress.hpp"
#include "launcher/supervisor/supervision/logs.hpp"
#include "launcher/supervisor/supervision/remarks.hpp"
#include "launcher/supervisor/supervision/report_output.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <span>

#include <fmt/format.h>
#include <sys/wait.h>

namespace muster::attempts {
namespace {

// How long before the next attempt may start its nodes are asked.
constexpr std::chrono::milliseconds time_to_look{700};
constexpr std::chrono::milliseconds time_to_forget_step{300};

// Beside the logs, where there are any.
void keep(const report::Report& report, const Attempt& attempt) {
  if (const auto& logs = attempt.view().logs(); !logs.empty())
    supervision::keep_report(report, logs);
}

}  // namespace

Course::Course(const Launch& launch)
    : launch_(launch),
      control_(launch.site.environment(), os::host_name()),
      command_(launch.command),
      input_(launch.request.restarts > 0 &&
             (!launch.has_slurm() ||
              attempts::reads_input(launch.command, launch.site.environment()))) {
  const auto& request = launch.request;
  const bool elastic = request.restarts > 0 || request.spares > 0 || request.nodes;
  const bool preflight = request.preflight && !request.dry_run;
  if ((!elastic && !preflight) || srun::heterogeneous(command_) || !find_nodes()) {
    if (preflight)
      os::say(os::Severity::warning,
              "preflight: left out, as it is not known which nodes the step will have");
    succession_.emplace(launch, 0);
    return;
  }
  if (!elastic) {
    if (!launch.inherited) choose_first_nodes(elastic);
    nodes_.reset();
    health_.reset();
    shape_ = {};
    allocated_ = 0;
    succession_.emplace(launch, 0);
    return;
  }
  const auto count = allocated_;
  if (request.restarts > 0 && count > 1) {
    supervision::remark(command_,
                        lacks(slurm::ask_config(time_to_ask).config.value_or(slurm::Config()),
                              launch.policy.heartbeat));
  }
  succession_.emplace(launch, count);
  if (launch.inherited) return;
  if (request.spares == 0 && !request.nodes && !preflight_) return;
  choose_first_nodes(request.spares > 0 || request.nodes);
}

// Those that the user's words leave to Slurm only where the preflight finds fault with some.
void Course::choose_first_nodes(bool elastic) {
  auto candidates = nodes_->candidates(restart::suspects(past_, restart::Time(0)));
  if (preflight_) {
    preflight_->run(static_cast<std::uint32_t>(past_.size()), candidates, -1);
    const bool others = !shape_.fixed && shape_.tasks_per_node && preflight_->finds_fault();
    if (!elastic && !others) {
      preflight_->conclude(nodes_->allocation().nodes, 0);
      return;
    }
    candidates = preflight_->judge(std::move(candidates));
  }
  const auto choice = restart::choose_nodes(candidates, {}, shape_.size);
  if (preflight_) {
    preflight_->conclude(choice ? choice->nodes : std::vector<std::string>(), shape_.size.wanted);
  }
  if (!choice) {
    throw Error(fmt::format("of the job's {} nodes too few can be used: {} are needed; see sinfo",
                            nodes_->allocation().nodes.size(), shape_.size.min));
  }
  spares_ = restart::in_reserve(candidates, choice->nodes);
  use(*choice, false);
}

void Course::use(const restart::Choice& choice, bool beside_old_step) {
  names_ = choice.nodes;
  shares_cores_ = beside_old_step;
  slurm::apply(nodes_->environment());
  command_ = srun::on_nodes(launch_.command, launch_.site.environment(),
                            {names_, shape_.tasks_per_node.value_or(1), beside_old_step});
}

// Before the first srun a signal ends this process, and nothing is lost.
int Course::run() {
  interruption_.emplace(launch_.policy.start);
  const int code = run_all();
  succession_->finish(code);
  return code;
}

int Course::run_all() {
  try {
    if (launch_.inherited) {
      if (const auto code = resume()) return *code;
    }
    while (true) {
      if (const auto code = attempt(static_cast<std::uint32_t>(past_.size()))) return *code;
    }
  } catch (const std::exception& error) {
    if (!last_) throw;
    return end_without_another(error);
  }
}

// What the attempts before did is not lost with the one that cannot be started.
int Course::end_without_another(const std::exception& error) {
  os::say(os::Severity::error,
          fmt::format("no further attempt: {}", text::printable_path(error.what())));
  const auto code = show(*last_);
  requeue_.end(past_, *last_, {}, *interruption_);
  return code.value_or(EXIT_FAILURE);
}

std::optional<int> Course::attempt(std::uint32_t number) {
  Attempt attempt(launch_, {number, max_attempts() - std::min(number + 1, max_attempts())},
                  control_);
  begin(attempt);
  attempt.run(number > 0 && launch_.has_slurm()
                  ? srun::appending(command_, launch_.site.environment())
                  : command_,
              both(both(nodes_ ? nodes_->removal() : Chore(), requeue_.stop(attempt)),
                   succession_->chore(attempt)),
              interruption_->mask_before(), input_);
  succession_->check_right();
  const auto& request = launch_.request;
  if (request.dry_run) control_.close();
  if (request.dry_run) return end_of_dry_run(attempt);
  const bool alone = number == 0 && !request.report && !request.logs && !request.verbose;
  if (attempt.is_well() && alone && !requeue_.judges_success(attempt)) return EXIT_SUCCESS;
  return after(attempt);
}

// The exit code, unless there is another attempt.
std::optional<int> Course::after(Attempt& attempt) {
  const auto& request = launch_.request;
  const auto record = attempt.record();
  auto report = report::make_report(record, {.exit_of_srun = request.exit == option::Exit::slurm,
                                             .of_any_failure = launch_.code_of_any_failure});
  if (report.first) attempt.show_end(report.first->end.place.rank);
  past_.push_back(restart::past_of(
      report, request.progress ? std::optional(progress_of(*request.progress)) : std::nullopt));
  if (nodes_) nodes_->learn(record, launch_.policy.start);
  // One that was lost in mid-launch, too, holds the nodes until Slurm has given the lost one up.
  old_step_remains_ |= attempt.left_srun() || past_.back().cause == report::Cause::launch;
  if (health_) health_->learn(record, attempt.left_srun());
  const bool goes_on = !attempt.stopped() && again(record, report);
  report = report::with_earlier(last_ ? last_->attempts : std::vector<report::Attempt>(),
                                std::move(report));
  if (preflight_) report.preflight = preflight_->runs();
  keep(report, attempt);
  last_logs_ = attempt.view().logs();
  last_ = report;
  if (goes_on && choose_nodes(record) && !interrupted_before(not_before_)) return std::nullopt;
  if (preflight_) report.preflight = preflight_->runs();
  if (!why_no_more_.empty()) os::say(os::Severity::error, "no further attempt: " + why_no_more_);
  if (!interruption_->is_there()) {
    return end(report, attempt, restart::was_signalled(record, report));
  }
  report = interruption_->in(std::move(report));
  keep(report, attempt);
  return end(report, attempt, interruption_->is_warning());
}

// A signal ends the training as in an attempt. The successor hears meanwhile that this process lives.
bool Course::interrupted_before(Clock::time_point time) {
  bool interrupted = interruption_->before(std::min(time, succession_->next_beat()));
  while (!interrupted && Clock::now() < time) {
    succession_->beat();
    interrupted = interruption_->before(std::min(time, succession_->next_beat()));
  }
  if (interrupted) why_no_more_ = interruption_->why();
  return interrupted;
}

bool Course::again(const report::Record& record, const report::Report& report) {
  const auto& request = launch_.request;
  why_no_more_.clear();  // of a decision to go on it says why it waits
  if (request.restarts == 0 || report.result == report::Result::ok) return false;
  if (restart::cannot_start(record, report, std::span(past_).first(past_.size() - 1))) {
    why_no_more_ = "the program cannot start, and would fail again";
    return false;
  }
  const restart::Rules rules{.restarts = request.restarts, .norestart = request.norestart.codes};
  const auto decision = restart::decide(rules, past_, report);
  why_no_more_ = decision.why;
  if (!decision.again) return false;
  why_no_more_ = input_.loss();
  if (!why_no_more_.empty()) return false;
  os::say(os::Severity::warning,
          fmt::format("attempt {} failed: {}", past_.size() - 1, report::summary(report)));
  not_before_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(decision.pause);
  if (nodes_) not_before_ = std::max(not_before_, nodes_->fenced());
  check_nodes();
  return !interrupted_before(not_before_ - time_to_look);
}

// What takes longer than Slurm's word, in the time before the next attempt may start.
void Course::check_nodes() {
  if (!nodes_) return;
  const auto time = health_->time();
  if (!time && !preflight_) return;
  const auto before = time.value_or(std::chrono::milliseconds{0}) +
                      (preflight_ ? preflight_->time_between() : std::chrono::milliseconds{0});
  if (interrupted_before(not_before_ - time_to_look - before)) return;
  const int interrupt = interruption_->descriptor();
  const auto candidates = nodes_->candidates({}, interrupt);
  if (time) health_->ask(candidates, shape_.fixed, interrupt);
  if (preflight_) {
    preflight_->run(static_cast<std::uint32_t>(past_.size()), candidates, interrupt);
  }
}

// As many as the attempt before had, where the user has not asked for a range.
restart::Size Course::size_after(const report::Record& record) const {
  auto size = shape_.size;
  if (!launch_.request.nodes && !record.nodes.empty()) {
    size.wanted = static_cast<std::uint32_t>(record.nodes.size());
    size.min = size.wanted;
    size.max = size.wanted;
  }
  return size;
}

bool Course::choose_nodes(const report::Record& record) {
  std::vector<std::string> previous;
  for (const auto& node : record.nodes) previous.push_back(node.name);
  if (previous.empty()) previous = names_;
  if (!nodes_) {
    why_no_more_ = lost_where_nodes_are_unknown(record);
    return why_no_more_.empty();
  }
  const auto size = size_after(record);
  const auto doubted = restart::suspects(past_, past_.back().over);
  const auto look = [&] {
    auto found = health_->judge(nodes_->candidates(doubted, interruption_->descriptor()));
    return preflight_ && !shape_.fixed ? preflight_->judge(std::move(found)) : found;
  };
  auto candidates = look();
  auto choice = restart::choose_nodes(candidates, previous, size);
  if (!choice || choice->nodes.size() < size.wanted) {
    // A lost node has until then to come back.
    if (interrupted_before(not_before_)) return false;
    candidates = look();
    choice = restart::choose_nodes(candidates, previous, size);
  }
  if (interrupted_before(Clock::now())) return false;
  if (preflight_) {
    preflight_->conclude(choice ? choice->nodes : std::vector<std::string>(), size.wanted);
  }
  if (!choice) {
    why_no_more_ = too_few(candidates, size.min);
    too_few_nodes_ = true;
    return false;
  }
  const bool others = !choice->left_out.empty() || !choice->added.empty();
  if (others && shape_.fixed) {
    why_no_more_ = "this srun names its nodes, so that no others can take their place";
    return false;
  }
  if (!record.nodes.empty()) shape_.tasks_per_node = equal_tasks(record);
  if (others && !shape_.tasks_per_node) {
    why_no_more_ =
        "the nodes have different numbers of tasks, so that none can take another's place";
    return false;
  }
  spares_ = restart::in_reserve(candidates, choice->nodes);
  os::say(os::Severity::progress, fmt::format("restart {} of {} starts{}", past_.size(),
                                              max_attempts() - 1, changes(*choice)));
  const bool beside_old_step =
      old_step_remains_ || (!record.step.empty() && !nodes_->waited_for_controller() &&
                            slurm::step_remains(record.step, time_to_forget_step));
  const bool otherwise = others || beside_old_step || shares_cores_;
  if (otherwise && shape_.tasks_per_node) use(*choice, beside_old_step);
  return true;
}

std::optional<int> Course::show(const report::Report& report) const {
  const auto& environment = launch_.site.environment();
  return supervision::show_report(
      report, launch_.request, supervision::name_of_run(launch_.command, environment), last_logs_,
      supervision::is_interactive(launch_.command), launch_.doubt);
}

int Course::end(const report::Report& report, const Attempt& attempt, bool signalled) {
  const auto code = show(report);
  requeue_.end(
      past_, report,
      {.too_few_nodes = too_few_nodes_, .stopped = attempt.stopped(), .signalled = signalled},
      *interruption_);
  control_.close();  // this process may end by a signal
  if (interruption_->is_there()) return interruption_->exit_code();
  interruption_->forget_later_ones();
  const int status = attempt.ended().wait_status;
  const bool killed = WIFSIGNALED(status) && !attempt.left_srun();
  if (code && !killed) return *code;
  if (killed && own_allocation_) return 128 + WTERMSIG(status);
  return slurm::end_like(attempt.ended());
}

}  // namespace muster::attempts
