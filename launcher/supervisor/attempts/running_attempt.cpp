#include "launcher/supervisor/attempts/running_attempt.hpp"

#include "core/contains.hpp"
#include "core/error.hpp"
#include "core/logs/names.hpp"
#include "core/request/request.hpp"
#include "core/restart/attempt_history.hpp"
#include "core/site/config.hpp"
#include "core/slurm/step_cancel.hpp"
#include "core/srun/het_step.hpp"
#include "core/srun/job_of_line.hpp"
#include "core/srun/kill_on_bad_exit.hpp"
#include "core/srun/time_limit.hpp"
#include "core/status/json.hpp"
#include "core/status/text.hpp"
#include "launcher/os/host_name.hpp"
#include "launcher/os/output.hpp"
#include "launcher/slurm/job_state.hpp"
#include "launcher/supervisor/attempts/run_status.hpp"
#include "launcher/supervisor/attempts/status_answer.hpp"
#include "launcher/supervisor/supervision/remarks.hpp"
#include "launcher/supervisor/supervision/unreached.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace muster::attempts {
namespace {

constexpr std::chrono::milliseconds count_timeout{700};
// Long, because no user waits for it.
constexpr std::chrono::milliseconds watchdog_count_timeout{2000};
constexpr std::chrono::milliseconds find_step_timeout{5000};

std::unique_ptr<channel::Server> open_channel(const Launch& launch, const secret::Key& key,
                                              supervision::PlanView& view, StartLine& start_line,
                                              supervision::Notices& notices,
                                              const supervision::Supervision& supervision) {
  return std::make_unique<channel::Server>(
      key, launch.site.config().control_ports,
      [&view, &start_line](const std::vector<std::string>& texts) {
        start_line.erase();
        view.show(texts);
      },
      [&notices](const std::string& text) { notices.show(text); }, channel::Limits(),
      supervision.watch_server());
}

// If muster killed srun, Slurm cancels its job, which says nothing about the cause.
report::SlurmJobState slurm_job_state(const report::Record& record, const srun::Command& command,
                                      bool killed_srun) {
  auto job = slurm::job_of(record, command, site::current_environment());
  job.ends_soon = job.ends_soon && !killed_srun;
  auto word = slurm::ask_job_state(job);
  if (killed_srun && (word.job_state == "CANCELLED" || word.job_state == "COMPLETING")) return {};
  return word;
}

// Whether srun may cancel the step by itself without saying so.
bool srun_may_cancel(const srun::Command& command, const Environment& environment) {
  return supervision::is_quiet(command) ||
         srun::chose_kill_on_bad_exit(environment, command).value_or(false);
}

// `plan` knows where the files are, once a node has reported it.
view::Wanted wanted(const Launch& launch, const supervision::PlanView& plan,
                    StartLine& start_line) {
  const auto& request = launch.request;
  // torchrun's own variables apply only to ranks on one machine.
  const auto of_torchrun = [&](const char* name) -> std::string {
    return launch.has_slurm() ? "" : launch.site.environment().get(name);
  };
  auto role = of_torchrun("ROLE_NAME");
  const bool terminal = isatty(STDOUT_FILENO) != 0 && isatty(STDERR_FILENO) != 0;
  return {.view = request.view,
          .prefix = request.prefix,
          .screen = {.colour_out = os::wants_color(stdout),
                     .colour_err = os::wants_color(stderr),
                     .terminal = terminal},
          .line_template = of_torchrun("TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE"),
          .role = role.empty() ? "default" : std::move(role),
          .place =
              [&plan](const auto& source) {
                return std::filesystem::path(plan.logs()) /
                       logs::file_name(source.rank, source.stream);
              },
          .before_write = [&start_line] { start_line.end(); }};
}

watch::TakeOutput show_on(view::Display& display) {
  return [&display](view::OutputPiece piece, std::uint32_t ranks) {
    display.add(std::move(piece), ranks);
  };
}

// The program with as many of its arguments as fit.
std::vector<std::string> words_within(const srun::Command& command, std::size_t bytes) {
  std::vector<std::string> words;
  for (std::size_t i = command.program; i > 0 && i < command.words.size(); ++i) {
    if (command.words[i].size() > bytes) break;
    bytes -= command.words[i].size();
    words.push_back(command.words[i]);
  }
  return words;
}

// Each task is one rank in the sense of torch: no other launcher starts further ranks inside it.
bool numbers_ranks_as_torch(std::string_view profile) {
  constexpr std::array profiles{std::string_view("torch"), std::string_view("deepspeed"),
                                std::string_view("lightning"), std::string_view("megatron")};
  return contains(profiles, profile);
}

}  // namespace

RunningAttempt::RunningAttempt(const Launch& launch, const AttemptNumber& number,
                               control::Socket& control, RunSoFar run)
    : launch_(launch),
      number_(number),
      run_(std::move(run)),
      start_line_(STDERR_FILENO, launch.request.logs && !launch.request.dry_run),
      view_(launch.request, launch.plan_style),
      notices_(stderr, [this] { start_line_.erase(); }),
      display_(wanted(launch, view_, start_line_),
               [this](const auto& source, auto offset, auto bytes) {
                 supervision_.watch_server()->shown({source, offset}, bytes);
               }),
      slow_(slow_watch()),
      supervision_(launch.policy, notices_, show_on(display_),
                   {.arrived =
                        [this](auto node, auto piece) {
                          if (slow_) slow_->add(node, std::move(piece));
                        },
                    .carried =
                        [this](auto node, auto traffic) {
                          if (slow_) slow_->add(node, std::move(traffic));
                        },
                    .examined =
                        [this](auto node, const auto& examined) {
                          if (slow_) slow_->examined(node, examined.number, examined.evidence);
                        }}),
      channel_(open_channel(launch, key_, view_, start_line_, notices_, supervision_)),
      control_(std::make_unique<control::Server>(
          control, control::Handlers{{"status", [this](const auto&) { return status(); }}})) {
  if (launch.request.progress && !launch.request.dry_run)
    progress_.emplace(*launch.request.progress, launch.policy.start);
}

// The channel is destroyed first: a status request would otherwise wait for nodes that can no longer answer.
RunningAttempt::~RunningAttempt() {
  if (slow_) slow_->stop();
  channel_.reset();
}

// Runs in the control socket's thread.
std::string RunningAttempt::status() const {
  return status::to_line(step(supervision_.watch_server()->count(count_timeout)));
}

status::Step RunningAttempt::step(const std::vector<std::optional<status::Counts>>& counts) const {
  const auto watch_server = supervision_.watch_server();
  const auto now = std::chrono::steady_clock::now();
  const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - began_);
  auto now_slow = slow_ ? slow_->named() : std::vector<slow::Named>();
  std::erase_if(now_slow, [](const auto& each) { return each.over; });
  const auto seen = watch_server->seen();
  auto status = status_of({.name = srun::job_of_line(launch_.command, launch_.site.environment()),
                           .host = os::host_name(),
                           .attempt = number_.number,
                           .restarts_left = number_.restarts_left,
                           .age = age,
                           .ending = supervision_.is_ending(),
                           .logs = launch_.request.logs.has_value(),
                           .nodes = {},
                           .slow = std::move(now_slow)},
                          seen, counts, watch_server->moment(now).time);
  status.run = run_status(seen);
  if (slow_) status.run->slow_ranks = static_cast<std::uint32_t>(status.slow.size());
  return status;
}

status::Run RunningAttempt::run_status(const watch::Observations& seen) const {
  const auto moment = [this](auto time) { return supervision_.watch_server()->moment(time).time; };
  RunningCost running{.launched = moment(began_),
                      .now = moment(std::chrono::steady_clock::now()),
                      .after_requeue = run_.after_requeue,
                      .progress = progress()};
  if (slow_) running.held_up = slow::held_up(slow_->named());
  if (const auto hang = supervision_.hang()) running.hung_since = hang->since.time;
  return run_of(run_.names, run_.past, running, seen);
}

// With logs= the sizes of the ranks' files show how much the ranks have written.
std::unique_ptr<hang::Watchdog> RunningAttempt::watchdog() {
  const auto look = [this] {
    auto now = step(supervision_.watch_server()->count(watchdog_count_timeout));
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return hang::sample_of(
        now, time, now.logs ? std::optional<std::int64_t>(0) : supervision_.written_by_srun());
  };
  const auto running_step = [this]() -> dump::RunningStep {
    const auto seen = supervision_.watch_server()->seen();
    // Only Slurm knows to which job each node belongs.
    if (srun::heterogeneous(launch_.command)) {
      return dump::find_step(seen.step, find_step_timeout);
    }
    dump::RunningStep found{
        .name = seen.step, .user = {}, .tasks = seen.ranks, .without_slurm = !launch_.has_slurm()};
    for (const auto& node : seen.nodes) found.nodes.push_back(node.name);
    return found;
  };
  const auto reported = [this](const hang::Finding& found) -> report::Hang {
    return {.since = supervision_.watch_server()->moment(found.since),
            .found = found.found,
            .node = found.node,
            .dump = found.place};
  };
  return std::make_unique<hang::Watchdog>(
      *launch_.request.hang,
      hang::WatchdogHooks{
          .look = look,
          .step = running_step,
          .say = [this](auto severity, const auto& text) { notices_.insist(severity, text); },
          .found = [this, reported](const auto& found) { supervision_.note_hang(reported(found)); },
          .moved = [this] { supervision_.forget_hang(); },
          .end = [this,
                  reported](const auto& found) { supervision_.on_step_hung(reported(found)); }});
}

std::unique_ptr<slow::SlowWatch> RunningAttempt::slow_watch() {
  if (!launch_.request.slow) return nullptr;
  const auto name_of = [this](std::size_t node) {
    const auto nodes = supervision_.watch_server()->seen().nodes;
    return node < nodes.size() ? nodes[node].name : std::string();
  };
  return std::make_unique<slow::SlowWatch>(
      slow::Limits{.percent = static_cast<double>(launch_.request.slow->percent)},
      slow::SlowWatchHooks{
          .now =
              [this] {
                return supervision_.watch_server()->moment(std::chrono::steady_clock::now()).time;
              },
          .name_of = name_of,
          .examine =
              [this](auto number, auto node, auto rank) {
                supervision_.watch_server()->examine(static_cast<layout::NodeIndex>(node),
                                                     {.number = number, .rank = rank});
              },
          .say = [this](auto severity, const auto& text) { notices_.insist(severity, text); }});
}

const std::optional<supervision::CreatedStep>& RunningAttempt::created() {
  if (!created_) created_ = step_.read();
  return created_;
}

// If no rank's output is shown, start-up ends when all ranks are up.
void RunningAttempt::draw_start() {
  auto now = step({});
  if (now.nodes.empty() && created()) now.nodes.resize(created()->nodes.size());
  const bool all_up = now.ranks > 0 && now.ranks_up == now.ranks;
  if (all_up && view::shown_ranks(launch_.request.view, now.ranks) == 0) return start_line_.end();
  start_line_.draw(start_text(now));
}

slurm::Ended RunningAttempt::run(const srun::Command& command, const PeriodicTask& task,
                                 const sigset_t& mask, attempts::StandardInput& input) {
  const auto words = prepare_environment(
      launch_, command,
      {number_.number, key_, channel_->address(), run_.beside_other_step, run_.pmix});
  if (launch_.has_slurm()) step_.hand_on();
  if (launch_.request.hang) watchdog_ = watchdog();
  auto hooks = supervision_.hooks([this, &input] {
    step_.handed_on();
    input.start();
    if (launch_.request.logs) display_.start();
    channel_->start();
    control_->start();
    if (watchdog_) watchdog_->start();
    if (progress_) progress_->start();
    if (slow_) slow_->start();
    if (run_.exporter != nullptr) run_.exporter->start([this] { return step({}); });
  });
  hooks.mask = mask;
  if (!launch_.has_slurm()) hooks.become = [this] { return launch_.start_ranks(number_.number); };
  const PeriodicTask start{.next = [this] { return start_line_.next(); },
                           .act =
                               [this] {
                                 const auto due = start_line_.next();
                                 if (due && *due <= std::chrono::steady_clock::now()) draw_start();
                               }};
  input.prepare();
  ended_ = slurm::run_srun(words, with_task(std::move(hooks), combine(task, start)));
  input.finish();
  watchdog_.reset();
  if (progress_) progress_->stop();
  if (run_.exporter != nullptr) run_.exporter->stop();
  if (slow_) slow_->stop();
  start_line_.end();
  if (launch_.request.logs) {
    supervision_.await_last_words();
    display_.finish(!is_well());
  }
  return ended_;
}

cost::Progress RunningAttempt::progress() const {
  return progress_ ? progress_->marks() : cost::Progress();
}

void RunningAttempt::stop() {
  stopped_ = true;
  supervision_.stop();
}

std::vector<report::NodeRecord> RunningAttempt::nodes() const {
  auto nodes = supervision_.watch_server()->seen().nodes;
  if (std::ranges::any_of(nodes, &std::string::empty, &report::NodeRecord::name)) return {};
  return nodes;
}

std::optional<std::chrono::steady_clock::time_point> RunningAttempt::last_word_beside(
    const std::string& host) const {
  std::optional<std::chrono::nanoseconds> last;
  for (const auto& node : supervision_.watch_server()->seen().nodes) {
    if (node.name != host && node.last_word) last = std::max(last, {node.last_word->time});
  }
  if (!last) return std::nullopt;
  return launch_.policy.start +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(*last);
}

bool RunningAttempt::is_well() const {
  return ended_.wait_status == 0 && supervision_.unharmed();
}

// What srun and its command line say about the step.
void RunningAttempt::add_step(report::Record& record) {
  const auto& command = launch_.command;
  record.attempt = number_.number;
  if (launch_.membership) record.group = launch_.membership->group;
  record.program = command.program == 0 ? "" : command.words.at(command.program);
  record.command = words_within(command, report::max_command_bytes);
  record.without_slurm = !launch_.has_slurm();
  if (record.without_slurm) return;
  record.time_limit = srun::chosen_time_limit(site::current_environment(), command);
  if (!created()) return;
  record.created = supervision_.watch_server()->moment(created_->time);
  // Agents that got as far as asking a question, but never watched a task, have reported the reason.
  if (record.nodes.empty() && channel_->reached()) return;
  supervision::name_silent_nodes(record, created_->nodes);
}

// About a step that has not ended well: Slurm, and what srun has written if its standard error is a file.
void RunningAttempt::add_what_others_say(report::Record& record) const {
  const auto written = output_.text();
  if (launch_.has_slurm()) {
    record.slurm = slurm_job_state(record, launch_.command, supervision_.killed_srun());
    record.step_cancelled = !supervision_.cancelled_step() &&
                            !srun_may_cancel(launch_.command, launch_.site.environment()) &&
                            slurm::tells_of_cancel(written, record.step);
  }
  if (numbers_ranks_as_torch(launch_.request.profile))
    ranks::add_lines_of_ranks(record, written, output_.path());
}

report::Record RunningAttempt::record() {
  auto record = supervision_.record(ended_);
  if (slow_) record.slow = slow_->named();
  add_step(record);
  const auto channel = channel_->address();
  control_.reset();
  channel_.reset();  // asking Slurm starts a process, and until here this process has threads
  notices_.finish();
  const auto unreached = supervision::unreached_text(record, os::host_name(), channel);
  if (!unreached.empty() && (!is_well() || launch_.request.verbose)) {
    os::say(os::Severity::warning, unreached);
  }
  if (!is_well()) add_what_others_say(record);
  return record;
}

int end_of_dry_run(const RunningAttempt& attempt) {
  const int code = slurm::end_like(attempt.ended());
  if (attempt.view().failed() && code == 0) return EXIT_FAILURE;
  if (attempt.view().shown() || code != 0) return code;
  throw Error(
      "the nodes sent no plan, and the program (if you named one) has run; does slurmd on the "
      "nodes have muster.so in its plugstack.conf?");
}

}  // namespace muster::attempts
