#include "launcher/supervisor/attempts/succession.hpp"

#include "core/option/keys.hpp"
#include "core/request/request.hpp"
#include "core/restart/saved.hpp"
#include "core/srun/job_of_line.hpp"
#include "launcher/channel/watch/lease.hpp"
#include "launcher/os/output.hpp"
#include "launcher/os/own_command.hpp"
#include "launcher/site/installed.hpp"
#include "launcher/slurm/ask.hpp"
#include "launcher/supervisor/attempts/job_end.hpp"
#include "launcher/supervisor/supervision/remarks.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace muster::attempts {
namespace {

using std::chrono::milliseconds;

// Once cut off, the supervisor's host and every other node stop their ranks after the same time.
static_assert(restart::lease_time(milliseconds(10000)) == watch::fence_time(milliseconds(10000)));

constexpr milliseconds look_interval{1000};
constexpr std::chrono::minutes right_timeout{10};
constexpr std::chrono::seconds job_interval{10};

std::vector<std::string> variables_of(const Environment& environment) {
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment) variables.push_back(name + '=' + value);
  return variables;
}

}  // namespace

Succession::Succession(const Launch& launch, std::uint32_t allocated)
    : launch_(launch), heartbeat_(launch.policy.heartbeat) {
  const auto& request = launch.request;
  if (!request.succession || request.dry_run) return;
  const auto& environment = launch.site.environment();
  const auto known = srun::allocation_of_line(launch.command, environment);
  if (known) job_ = known->job;
  host_ = launch.inherited ? launch.inherited->successor_node : known ? known->batch_host : "";
  const auto why = restart::succession_obstacle({.restarts = request.restarts,
                                                 .host = host_,
                                                 .allocated = allocated,
                                                 .step_manager = known ? known->step_manager : "",
                                                 .heartbeat = launch.policy.heartbeat});
  if (!why.empty()) {
    const bool is_users =
        source(request, option::Key("succession")).origin != Origin::site && !launch.inherited;
    if (is_users) supervision::remark(launch.command, "succession=on does nothing: " + why);
    if (!launch.inherited) return;
  }
  on_ = true;
  generation_ = launch.inherited ? launch.inherited->generation : 0;
  handover_.generation = generation_ + 1;
  handover_.host = host_;
  handover_.supervisor_step = launch.inherited ? launch.inherited->successor_step : "";
  std::error_code unknown;
  handover_.directory = std::filesystem::current_path(unknown).string();
  handover_.command = launch.inherited ? launch.inherited->command : os::own_command();
  handover_.environment = variables_of(environment);
  handover_.heartbeat = heartbeat_;
  handover_.allocated = allocated;
}

void Succession::start_step(const Estate& estate) {
  successor_node_ = restart::node_for_successor(
      {.spares = estate.spares, .nodes = estate.nodes, .job_nodes = estate.job_nodes}, host_);
  // The directory entry on this node shows the other nodes that a successor has taken over.
  if (successor_node_.empty() && launch_.inherited) successor_node_ = host_;
  if (successor_node_.empty()) return;
  step_.emplace(successor::StepOrder{.srun = launch_.command.words.front(),
                                     .job = job_,
                                     .program = site::installed_program(),
                                     .node = successor_node_,
                                     .generation = generation_ + 1},
                launch_.site.environment());
  confirmed_ = Clock::now();
}

void Succession::begin(const Estate& estate) {
  if (!on_) return;
  const restart::Saved saved{.requeues = 0,
                             .begun = static_cast<std::uint32_t>(estate.past.size() + 1),
                             .past = {estate.past.begin(), estate.past.end()}};
  handover_.attempts = to_text(saved, launch_.policy.wall_start);
  handover_.nodes = estate.nodes;
  handover_.lost = estate.lost;
  handover_.tasks_per_node = estate.tasks_per_node;
  handover_.line = estate.line;
  knows_nodes_ = false;
  if (step_ && !answers()) {
    os::say(os::Severity::warning,
            fmt::format("the successor on {} is gone; starting another one", successor_node_));
    step_.reset();
  }
  if (!step_) start_step(estate);
  gone_ = false;
  send_handover();
}

void Succession::send_handover() {
  if (step_) step_->send(restart::handover_message(handover_));
  next_beat_ = Clock::now() + restart::beat_interval(heartbeat_);
}

Succession::Clock::time_point Succession::last_word() const {
  return std::max(step_->last_word(), confirmed_);
}

bool Succession::is_silent() const {
  return Clock::now() - step_->last_word() > watch::doubt_time(heartbeat_);
}

// Gives the successor a moment to answer, because this process may not have listened for a while.
bool Succession::answers() {
  constexpr milliseconds answer_timeout{500};
  constexpr milliseconds interval{10};
  step_->send(restart::beat_message());
  const auto deadline = Clock::now() + answer_timeout;
  while (step_->runs() && Clock::now() < deadline) {
    step_->listen();
    if (!is_silent()) return true;
    std::this_thread::sleep_for(interval);
  }
  return false;
}

void Succession::beat() {
  if (!step_) return;
  step_->listen();
  if (Clock::now() < next_beat_) return;
  unsure_ = unsure_ || Clock::now() > next_beat_ + heartbeat_;
  next_beat_ = Clock::now() + restart::beat_interval(heartbeat_);
  step_->send(restart::beat_message());
}

// The agents know on which nodes they run, and with how many tasks.
void Succession::learn_nodes(const RunningAttempt& attempt) {
  if (knows_nodes_) return;
  const auto nodes = attempt.nodes();
  if (nodes.empty()) return;
  knows_nodes_ = true;
  handover_.nodes.clear();
  for (const auto& node : nodes) handover_.nodes.push_back(node.name);
  const auto tasks = nodes.front().tasks;
  const bool equal =
      std::ranges::all_of(nodes, [tasks](const auto& node) { return node.tasks == tasks; });
  handover_.tasks_per_node = equal ? tasks : 0;
  send_handover();
}

// Asks slurmctld whether a silent successor has died, or has taken over.
bool Succession::has_right(milliseconds timeout) {
  const auto asked = Clock::now();
  const auto found = slurm::ask_hostless_job(job_, host_, timeout);
  if (!found) return false;
  const auto right = restart::right_to_supervise(generation_, *found);
  lost_ = lost_ || right == restart::Right::lost;
  if (right != restart::Right::holds) return false;
  confirmed_ = asked;
  unsure_ = false;
  gone_ = !step_->runs() && found->successor.value_or(0) <= generation_;
  return true;
}

// After a suspension, no agent gets an answer until it is clear that no successor has taken over.
void Succession::look_at_sleep(RunningAttempt& attempt) {
  const auto sleep = attempt.unconfirmed_sleep();
  unsure_ = unsure_ || sleep;
  if (!unsure_ || lost_ || Clock::now() < next_look_) return;
  next_look_ = Clock::now() + look_interval;
  if (has_right(slurm::job_query_timeout) && sleep) attempt.confirm(*sleep);
}

// While ranks are running: if the host hears from neither the successor nor slurmctld nor another node, it is
// cut off.
void Succession::look(RunningAttempt& attempt) {
  beat();
  learn_nodes(attempt);
  look_at_sleep(attempt);
  if (fenced_ || (!is_silent() && !lost_)) return;
  confirmed_ = std::max(confirmed_, attempt.last_word_beside(host_).value_or(confirmed_));
  const auto now = Clock::now();
  const auto end = last_word() + restart::lease_time(heartbeat_);
  if (now < end && now >= next_look_) {
    const bool doubts = now - last_word() > watch::doubt_time(heartbeat_);
    next_look_ = now + (doubts ? look_interval : watch::doubt_time(heartbeat_));
    const auto left = std::chrono::floor<milliseconds>(end - now);
    has_right(std::min(left, slurm::job_query_timeout));
  }
  if (gone_) {
    os::say(os::Severity::warning,
            fmt::format("the successor on {} is gone; the next attempt starts another one",
                        successor_node_));
    step_.reset();
    return;
  }
  if (!lost_ && Clock::now() < last_word() + restart::lease_time(heartbeat_)) return;
  fenced_ = true;
  attempt.kill_ranks();
}

PeriodicTask Succession::task(RunningAttempt& attempt) {
  if (step_) attempt.may_be_replaced();
  return {
      .next = [this]() -> std::optional<Clock::time_point> {
        if (!step_) return std::nullopt;
        if (unsure_ && !fenced_) return std::min(next_beat_, std::max(next_look_, Clock::now()));
        if (!is_silent() || fenced_) return next_beat_;
        return std::min({next_beat_, next_look_, last_word() + restart::lease_time(heartbeat_)});
      },
      .act =
          [this, &attempt] {
            if (step_) look(attempt);
          }};
}

Succession::Clock::time_point Succession::next_beat() const {
  return step_ ? next_beat_ : Clock::time_point::max();
}

void Succession::check_right() {
  if (!step_) return;
  const auto deadline = Clock::now() + right_timeout;
  while (!lost_ && Clock::now() < deadline) {
    beat();
    if ((!is_silent() && !unsure_) || has_right(slurm::job_query_timeout)) {
      fenced_ = false;
      return;
    }
    if (!lost_) std::this_thread::sleep_for(look_interval);
  }
  stand_down();
}

// The rest of the script must not run either. The job would end with the script, so this process waits for
// the job to end.
void Succession::stand_down() {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDOUT_FILENO, STDERR_FILENO}) dup2(null, standard);
  bool runs = true;
  while (runs) {
    std::this_thread::sleep_for(job_interval);
    const auto found = slurm::ask_job(job_, slurm::job_query_timeout);
    runs = !found || found->state == "RUNNING";
  }
  kill(0, SIGKILL);  // the script belongs to this process group
  _exit(EXIT_FAILURE);
}

void Succession::finish(int code) {
  step_.reset();
  if (launch_.inherited) end_job(job_, code);
}

}  // namespace muster::attempts
