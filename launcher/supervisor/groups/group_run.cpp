#include "launcher/supervisor/groups/group_run.hpp"

#include "core/error.hpp"
#include "core/groups/course.hpp"
#include "core/groups/division.hpp"
#include "core/groups/report.hpp"
#include "core/groups/request.hpp"
#include "core/layout/task_counts.hpp"
#include "core/profile/profile.hpp"
#include "core/report/json.hpp"
#include "core/request/precedence.hpp"
#include "core/restart/step_shape.hpp"
#include "core/site/config.hpp"
#include "core/slurm/allocation.hpp"
#include "core/slurm/hostlist.hpp"
#include "core/srun/components.hpp"
#include "core/srun/ctrl_c.hpp"
#include "core/srun/het_step.hpp"
#include "core/srun/job_of_line.hpp"
#include "core/srun/line.hpp"
#include "core/srun/node_share.hpp"
#include "core/srun/step_size.hpp"
#include "core/text/amounts.hpp"
#include "launcher/os/executable.hpp"
#include "launcher/os/new_file.hpp"
#include "launcher/os/output.hpp"
#include "launcher/slurm/answer.hpp"
#include "launcher/slurm/ask.hpp"
#include "launcher/supervisor/attempts/attempts.hpp"
#include "launcher/supervisor/attempts/node_pool.hpp"
#include "launcher/supervisor/attempts/own_allocation.hpp"
#include "launcher/supervisor/groups/group_process.hpp"
#include "launcher/supervisor/groups/lighthouse.hpp"
#include "launcher/supervisor/groups/node_watch.hpp"
#include "launcher/supervisor/supervision/logs.hpp"
#include "launcher/supervisor/supervision/remarks.hpp"
#include "launcher/supervisor/supervision/report_output.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::groups {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds slurm_timeout{2000};
constexpr milliseconds answer_timeout{500};
constexpr seconds first_return{5};     // until a group that has left looks for nodes
constexpr seconds longest_return{60};  // it looks less and less often
constexpr milliseconds keeper_interval{500};
constexpr const char* lighthouse_variable = "TORCHFT_LIGHTHOUSE";

slurm::Allocation allocation_of(const attempts::Launch& launch) {
  auto allocation = srun::allocation_of_line(launch.command, launch.site.environment());
  if (allocation) {
    if (auto now = slurm::ask_allocation(allocation->job, slurm_timeout)) allocation = now;
  }
  if (!allocation || allocation->nodes.empty()) {
    throw Error(
        "groups=: the nodes are not known, because there is no allocation yet; run srun inside "
        "sbatch or salloc");
  }
  return *allocation;
}

// The job's own number of tasks is not meant for any one of them.
std::vector<srun::StepSize> sizes_of_programs(const srun::Command& command) {
  std::vector<srun::StepSize> sizes;
  for (const auto& program : srun::component_commands(command))
    sizes.push_back(srun::step_size(program, {}));
  return sizes;
}

Division division_of(const attempts::Launch& launch, const slurm::Allocation& allocation) {
  const auto& request = launch.request;
  if (srun::has_components(launch.command)) {
    return divide(*request.groups, sizes_of_programs(launch.command), request.spares,
                  allocation.nodes);
  }
  const auto count = static_cast<std::uint32_t>(allocation.nodes.size());
  const auto asked = restart::asked_size(launch.command, launch.site.environment(), count);
  const auto shape = restart::step_shape({.spares = request.spares, .nodes = {}}, asked, count);
  return divide(*request.groups, shape, allocation.nodes);
}

Pool pool_of(const Division& division) {
  Pool pool{.nodes = {}, .parts = division.groups_per_node};
  for (std::uint32_t group = 0; group < division.groups.size(); ++group) {
    for (const auto& node : division.groups[group].nodes)
      pool.nodes.push_back({.name = node, .group = group, .lost_at = {}});
  }
  for (const auto& node : division.spares)
    pool.nodes.insert(pool.nodes.end(), pool.parts, {.name = node, .group = {}, .lost_at = {}});
  return pool;
}

// With more groups than nodes: each group's part. Throws an Error of one line if a node cannot be divided.
std::optional<srun::NodeShare> share_of(const attempts::Launch& launch,
                                        const slurm::Allocation& allocation,
                                        const Division& division) {
  if (division.groups_per_node == 1) return std::nullopt;
  const auto& environment = launch.site.environment();
  const auto nodes = slurm::ask_nodes(std::span(allocation.nodes).first(1), slurm_timeout);
  const auto tasks = division.groups.front().tasks_per_node;
  const auto threads = nodes.empty() ? 1 : nodes.front().threads_per_core;
  // Unknown in a shell that has only entered the job, and outside the job.
  const auto* const counts = srun::joins_other_job(launch.command, environment)
                                 ? nullptr
                                 : environment.if_set("SLURM_JOB_CPUS_PER_NODE");
  const auto cpus = counts ? std::ranges::min(layout::expand_task_counts(*counts))
                           : division.groups_per_node * tasks * threads;
  srun::NodeShare share{
      .parts = division.groups_per_node,
      .cpus_per_task = srun::cpus_per_task(cpus, threads, division.groups_per_node, tasks),
      .gpus = allocation.gpus_of_node};
  if (share.cpus_per_task == 0) {
    throw Error(fmt::format(
        "groups=: {} groups share a node, but the job has only {} on it; request more nodes",
        share.parts, text::count(cpus / threads, "core")));
  }
  static_cast<void>(srun::share_options(srun::read_line(launch.command), environment, share));
  return share;
}

// Unless the user has one, or the profile needs none.
bool wants_lighthouse(const profile::Profile& profile, const Environment& environment) {
  return !profile.lighthouse.empty() && uses(profile, profile::Placeholder::lighthouse) &&
         !environment.contains(lighthouse_variable);
}

void check_lighthouse(const profile::Profile& profile, const Environment& environment) {
  if (!wants_lighthouse(profile, environment)) return;
  const auto& program = profile.lighthouse.front();
  const bool is_there = program.find('/') != std::string::npos
                            ? os::why_not_executable(program) == 0
                            : os::on_path(program, environment, ".");
  if (is_there) return;
  throw Error(fmt::format(
      "groups=: {} is not on PATH, and profile {} needs it; activate the environment that "
      "contains it, or export {}",
      program, profile.name, lighthouse_variable));
}

// With one number for groups=, those that come back must not hold the others up, and the first that begins
// must not train alone.
std::uint32_t fewest_to_train(const option::GroupRange& groups) {
  return groups.min < groups.max ? groups.min : std::max(groups.max / 2, 1U);
}

int code_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

struct Program {
  srun::Command command;
  request::Request request;
};

// A program with a --distributed of its own has a request of its own; the run's is the first one's.
Program program_of(const attempts::Launch& launch, srun::Command command) {
  const auto line = srun::read_line(command);
  const auto* const option = line.last("distributed");
  auto request =
      launch.site.request(launch.site.merged_settings(option ? option->value : std::nullopt));
  request.groups = launch.request.groups;
  request.spares = launch.request.spares;
  request.dry_run = launch.request.dry_run;
  return {std::move(command), request_of_group(std::move(request))};
}

std::vector<Program> programs_of(const attempts::Launch& launch) {
  if (!srun::has_components(launch.command))
    return {{launch.command, request_of_group(launch.request)}};
  std::vector<Program> programs;
  for (auto& command : srun::component_commands(launch.command))
    programs.push_back(program_of(launch, std::move(command)));
  return programs;
}

class GroupRun {
 public:
  GroupRun(const attempts::Launch& launch, const slurm::Allocation& allocation,
           const Division& division)
      : launch_(launch),
        share_(share_of(launch, allocation, division)),
        programs_(programs_of(launch)),
        request_(request_of_group(launch.request)),
        division_(division),
        pool_(pool_of(division)),
        watch_(pool_, allocation, {.heartbeat = launch.policy.heartbeat, .drain = request_.drain}),
        members_(division.groups.size()),
        ctrl_c_(launch.policy.first_ctrl_c_ends) {
    hold_signals();
    light(allocation);
  }

  ~GroupRun() { sigprocmask(SIG_SETMASK, &mask_before_, nullptr); }
  GroupRun(const GroupRun&) = delete;
  GroupRun& operator=(const GroupRun&) = delete;

  int run();

 private:
  int plan();

  struct Member {
    std::optional<GroupProcess> process;
    Left left;
    Clock::time_point returns;  // when it looks for nodes again
    seconds pause = first_return;
  };

  [[nodiscard]] std::uint32_t size(std::uint32_t number) const {
    return static_cast<std::uint32_t>(division_.groups[number].nodes.size());
  }
  [[nodiscard]] bool has_programs() const { return programs_.size() > 1; }
  [[nodiscard]] std::vector<Left> left() const;
  [[nodiscard]] std::vector<Group> states() const;
  [[nodiscard]] std::string what_follows() const;

  void hold_signals();
  void light(const slurm::Allocation& allocation);
  void start(std::uint32_t number);
  int supervise(std::uint32_t number, const GroupProcess::Report& report);
  void await_something();
  void handle(int signal);
  void pass_on(int signal);
  void reap();
  void ended(std::uint32_t number, int wait_status);
  void bring_back();
  void begin_again();
  [[nodiscard]] std::size_t usable_nodes();
  void stop_all();
  int finish();
  void show(int code) const;

  const attempts::Launch& launch_;
  const std::optional<srun::NodeShare> share_;
  const std::vector<Program> programs_;  // one for all groups, or one for each
  const request::Request request_;
  const Division& division_;
  attempts::NodePool pool_;
  NodeWatch watch_;
  std::vector<Member> members_;
  srun::CtrlC ctrl_c_;
  sigset_t mask_before_{};
  os::Descriptor signals_;
  std::optional<Lighthouse> lighthouse_;
  std::optional<std::uint32_t> first_failed_;
  std::optional<int> stopped_by_;  // the signal with which the user or Slurm ends the run
  bool told_to_stop_ = false;
  bool begins_again_ = false;  // the groups are being ended, because the lighthouse is lost
};

void GroupRun::hold_signals() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCHLD})
    sigaddset(&held, signal);
  sigprocmask(SIG_BLOCK, &held, &mask_before_);
  std::signal(SIGCHLD, SIG_DFL);  // if it is ignored, the kernel keeps no child's status
  signals_ = os::Descriptor(signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals_)
    throw Error(fmt::format("groups=: cannot wait for signals: {}", std::strerror(errno)));
}

void GroupRun::light(const slurm::Allocation& allocation) {
  const auto profile = launch_.site.profile(request_.profile);
  if (request_.dry_run || !wants_lighthouse(profile, launch_.site.environment())) return;
  lighthouse_.emplace(LighthouseCommand{.srun = launch_.command.words.front(),
                                        .job = allocation.job,
                                        .host = allocation.batch_host,
                                        .words = profile.lighthouse,
                                        .min = fewest_to_train(*request_.groups)},
                      pool_, launch_.site.environment(), launch_.site.config().control_ports);
}

int GroupRun::supervise(std::uint32_t number, const GroupProcess::Report& report) {
  const auto& program = programs_[has_programs() ? number : 0];
  attempts::Launch launch = {.site = launch_.site,
                             .request = program.request,
                             .command = program.command,
                             .plan_style = launch_.plan_style,
                             .policy = launch_.policy,
                             .pmix = launch_.pmix,
                             .files = launch_.files,
                             .doubt = launch_.doubt};
  launch.policy.ending_signals = {SIGTERM};
  launch.membership.emplace(attempts::Membership{
      .group = {number, static_cast<std::uint32_t>(members_.size())},
      .nodes = size(number),
      .tasks_per_node = division_.groups[number].tasks_per_node,
      .share = share_,
      .pool = pool_,
      .lighthouse_port = lighthouse_ ? lighthouse_->port() : std::uint16_t{0},
      .take_report = [&report](const auto& group) { report(report::to_json(group)); }});
  return attempts::run(launch);
}

void GroupRun::start(std::uint32_t number) {
  auto& member = members_[number];
  member.left.group = {};
  member.process.emplace(fmt::format("group {}", number), mask_before_,
                         [&](const auto& report) { return supervise(number, report); });
}

// One group stands for all, unless each has a program of its own.
int GroupRun::plan() {
  int code = 0;
  for (std::uint32_t number = 0; number < programs_.size(); ++number) {
    if (has_programs())
      os::say(os::Severity::progress,
              fmt::format("group {}: {}", number,
                          slurm::compress_hostlist(division_.groups[number].nodes)));
    start(number);
    while (members_[number].process) await_something();
    if (code == 0) code = members_[number].left.group.code;
  }
  return code;
}

int GroupRun::run() {
  if (request_.dry_run) return plan();
  for (std::uint32_t number = 0; number < members_.size(); ++number) start(number);
  while (true) {
    const auto next = next_of(states(), request_.groups->min, told_to_stop_ || stopped_by_);
    if (!begins_again_ && next == Next::end) return finish();
    if (!begins_again_ && next == Next::stop) stop_all();
    await_something();
    if (!request_.dry_run) watch_.act();
    begin_again();
    bring_back();
  }
}

std::vector<Group> GroupRun::states() const {
  std::vector<Group> states;
  for (const auto& member : members_) states.push_back(member.left.group);
  return states;
}

std::vector<Left> GroupRun::left() const {
  std::vector<Left> left;
  for (const auto& member : members_) left.push_back(member.left);
  return left;
}

void GroupRun::await_something() {
  auto next = request_.dry_run ? Clock::now() + std::chrono::hours(1) : watch_.next();
  if (lighthouse_) next = std::min(next, Clock::now() + keeper_interval);
  for (const auto& member : members_) {
    if (member.left.group.state == State::waiting) next = std::min(next, member.returns);
  }
  const auto time = std::chrono::ceil<milliseconds>(next - Clock::now()).count();
  pollfd source{signals_.get(), POLLIN, 0};
  poll(&source, 1, static_cast<int>(std::clamp<std::int64_t>(time, 0, 3'600'000)));
  signalfd_siginfo info{};
  while (read(signals_.get(), &info, sizeof info) == sizeof info)
    handle(static_cast<int>(info.ssi_signo));
  if (lighthouse_ && !lighthouse_->runs() && !told_to_stop_) {
    lighthouse_.reset();
    stop_all();
  }
}

void GroupRun::handle(int signal) {
  if (signal == SIGCHLD) return reap();
  const bool ends = signal == SIGINT ? ctrl_c_.ends_step(Clock::now())
                                     : signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
  if (ends && !stopped_by_) stopped_by_ = signal;
  pass_on(signal);
}

void GroupRun::pass_on(int signal) {
  for (const auto& member : members_) {
    if (member.process) member.process->send(signal);
  }
}

void GroupRun::stop_all() {
  if (std::exchange(told_to_stop_, true)) return;
  pass_on(SIGTERM);
}

void GroupRun::reap() {
  for (std::uint32_t number = 0; number < members_.size(); ++number) {
    const auto& process = members_[number].process;
    int status = 0;
    if (process && waitpid(process->id(), &status, WNOHANG) == process->id()) ended(number, status);
  }
}

void GroupRun::ended(std::uint32_t number, int wait_status) {
  auto& member = members_[number];
  auto& [group, reports] = member.left;
  if (auto report = member.process->report(); !report.empty()) reports.push_back(std::move(report));
  member.process.reset();
  // A group that begins again keeps its nodes: otherwise all groups would choose the same ones.
  if (!begins_again_) pool_.let_go(number);
  group.code = code_of(wait_status);
  const bool ends = told_to_stop_ || stopped_by_;
  group.state = state_after(group.code, {.begins_again = begins_again_,
                                         .stopped = ends,
                                         .short_of_nodes = pool_.was_short_of_nodes(number)});
  if (begins_again_) member.returns = Clock::time_point::max();  // begin_again() starts it
  if (begins_again_ || group.state == State::done) return;
  if (group.state == State::waiting) {
    member.returns = Clock::now() + member.pause;
    member.pause = std::min(2 * member.pause, longest_return);
  }
  if (!first_failed_ && !told_to_stop_) first_failed_ = number;
  if (ends || request_.dry_run) return;
  os::say(os::Severity::warning,
          fmt::format("group {} has left the run{}; {}", number,
                      group.state == State::waiting ? " because there are too few nodes" : "",
                      what_follows()));
}

// What the run does without a group that has left it.
std::string GroupRun::what_follows() const {
  const auto groups = states();
  const auto min = request_.groups->min;
  if (next_of(groups, min, false) == Next::wait) {
    const auto on = std::ranges::count(groups, State::running, &Group::state);
    return fmt::format("{} {}", text::count(static_cast<std::size_t>(on), "group"),
                       on == 1 ? "continues" : "continue");
  }
  if (exit_code(groups, min, first_failed_) == EXIT_SUCCESS)
    return "enough groups have finished, so muster ends the run";
  return fmt::format("fewer groups are left than groups={} requires, so muster ends the run", min);
}

// The free nodes on which a group could start now.
std::size_t GroupRun::usable_nodes() {
  std::vector<std::string> lost;
  std::vector<std::string> free;
  std::set<std::string> seen;
  for (const auto& node : pool_.all().nodes) {
    if (node.group || !seen.insert(node.name).second) continue;
    (node.lost_at ? lost : free).push_back(node.name);
  }
  const auto is_up = [](const slurm::Node& node) {
    return !node.down && !node.drained && !node.not_responding;
  };
  const auto fit = slurm::ask_nodes(free, slurm_timeout);
  auto usable = static_cast<std::size_t>(std::ranges::count_if(fit, is_up));
  if (lost.empty()) return usable;
  const auto states = slurm::ask_nodes_and_ports(lost, slurm_timeout);
  const auto answers = slurm::answer(states, answer_timeout);
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (is_up(states[i]) && answers[i]) ++usable;
  }
  return usable;
}

// The groups cannot continue with another lighthouse: see lighthouse_keeper.cpp.
void GroupRun::begin_again() {
  if (told_to_stop_ || stopped_by_) begins_again_ = false;
  if (!lighthouse_ || told_to_stop_ || stopped_by_) return;
  if (!begins_again_) {
    if (!pool_.is_lighthouse_lost()) return;
    begins_again_ = true;
    pass_on(SIGTERM);
  }
  const auto runs = [](const Member& member) { return member.process.has_value(); };
  if (std::ranges::any_of(members_, runs)) return;
  begins_again_ = false;
  pool_.set_lighthouse_lost(false);
  for (std::uint32_t number = 0; number < members_.size(); ++number) {
    const auto& member = members_[number];
    if (member.left.group.state == State::waiting && member.returns == Clock::time_point::max())
      start(number);
  }
}

void GroupRun::bring_back() {
  if (told_to_stop_ || stopped_by_) return;
  for (std::uint32_t number = 0; number < members_.size(); ++number) {
    auto& member = members_[number];
    if (member.left.group.state != State::waiting || Clock::now() < member.returns) continue;
    if (usable_nodes() >= size(number)) {
      os::say(os::Severity::progress, fmt::format("group {} rejoins", number));
      start(number);
    } else {
      member.returns = Clock::now() + member.pause;
      member.pause = std::min(2 * member.pause, longest_return);
    }
  }
}

int GroupRun::finish() {
  lighthouse_.reset();
  int code = exit_code(states(), request_.groups->min, first_failed_);
  if (stopped_by_ && code != 0 && !first_failed_) code = 128 + *stopped_by_;
  show(code);
  return code;
}

void GroupRun::show(int code) const {
  const auto all = left();
  std::string file;
  if (request_.report) {
    const auto name = supervision::name_of_run(launch_.command, launch_.site.environment());
    report::Report own;
    own.slurm_restarts = name.slurm_restarts;
    file = supervision::file_for(own, logs::report_file(*request_.report, name), name.job.number);
    if (const int error = os::write_new_file(file, to_json(all, first_failed_, code)); error != 0)
      os::say(os::Severity::warning,
              fmt::format("cannot write the report {}: {}; use another file for report=", file,
                          std::strerror(error)));
  }
  const bool restarted =
      std::ranges::any_of(all, [](const Left& group) { return !group.reports.empty(); });
  if (code != 0) {
    if (const auto shown = group_to_show(all, first_failed_))
      std::fputs(
          to_text(all[*shown], supervision::terminal_style(std::chrono::system_clock::now(), file))
              .c_str(),
          stderr);
  }
  if (code == 0 && !restarted && !request_.verbose) return;
  for (const auto& line : summary_lines(all)) os::say(os::Severity::progress, line);
}

}  // namespace

void check(const site::Site& site, const request::Request& request, const srun::Command& command) {
  if (!request.groups) return;
  const auto& environment = site.environment();
  const bool has_programs = srun::has_components(command);
  if (environment.contains("SLURM_HET_SIZE") || (srun::heterogeneous(command) && !has_programs))
    throw Error("groups=: the nodes of a heterogeneous job cannot be divided; use an ordinary job");
  static_cast<void>(request_of_group(request));
  check_lighthouse(site.profile(request.profile), environment);
  if (!srun::job_of_line(command, environment).empty()) return;
  if (has_programs)
    throw Error(
        "groups=: several programs need a job whose nodes they share; run this inside sbatch "
        "or salloc");
  const auto size = srun::step_size(command, environment);
  const auto nodes = size.nodes.value_or(1);
  static_cast<void>(divide(*request.groups, restart::step_shape({}, size, nodes),
                           std::vector<std::string>(nodes)));
}

int run(const attempts::Launch& launch) {
  const auto allocation = allocation_of(launch);
  const auto division = division_of(launch, allocation);
  if (launch.request.verbose || launch.request.explain) {
    for (std::size_t i = 0; i < division.groups.size(); ++i)
      os::say(os::Severity::progress,
              fmt::format("group {}: {}", i, slurm::compress_hostlist(division.groups[i].nodes)));
    if (!division.spares.empty())
      os::say(os::Severity::progress,
              fmt::format("spares: {}", slurm::compress_hostlist(division.spares)));
  }
  return GroupRun(launch, allocation, division).run();
}

}  // namespace muster::groups
