#include "launcher/agent/ranks/ranks.hpp"

#include "launcher/agent/ranks/process_state.hpp"
#include "launcher/agent/ranks/stop_request.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include <unistd.h>

namespace muster::ranks {
namespace {

std::uint64_t own_start() {
  const auto stat = stat_of("/proc", getpid());
  return stat ? stat->start_time : 0;
}

ProgramProcess program_of(pid_t pid, pid_t parent, int signal) {
  ProgramProcess program{.pid = pid, .parent = parent};
  program.handles_it = handles("/proc", pid, signal);
  program.is_shell = is_shell("/proc", pid);
  program.is_starter = !program.is_shell && is_starter("/proc", pid);
  program.is_python =
      program.handles_it && !program.is_shell && !program.is_starter && is_python("/proc", pid);
  return program;
}

// These signals do not ask a program for anything: they suspend and resume whatever runs.
bool is_job_control(int signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGCONT;
}

}  // namespace

Ranks::Ranks(const std::vector<report::RankPlace>& places, std::string step, pid_t parent)
    : first_possible_start_(own_start()),
      signs_{.step = std::move(step), .pids = {}, .task_groups = {}, .first_start = 0},
      spared_{.pids = {getpid(), parent}, .session = getsid(0)} {
  for (const auto& place : places) ranks_.push_back({.place = place});
}

void Ranks::started(const wire::TasksStarted& tasks, Time now) {
  if (tasks.pids.size() != ranks_.size()) return;
  for (std::size_t id = 0; id < ranks_.size(); ++id) {
    const auto pid = static_cast<pid_t>(tasks.pids[id]);
    if (pid <= 1 || ranks_[id].process) continue;
    ranks_[id].place.pid = tasks.pids[id];
    ranks_[id].start = now;
    ranks_[id].process = Process::open(pid);
    signs_.pids.insert(pid);
  }
}

// A kernel without pidfds shows a process only through /proc, and its ID may belong to another process by
// now.
void Ranks::open_again(Rank& rank) const {
  const auto pid = static_cast<pid_t>(rank.place.pid);
  if (rank.process || rank.end || pid <= 1) return;
  const auto stat = stat_of("/proc", pid);
  if (stat && spared_.pids.contains(stat->parent)) rank.process = Process::open(*stat);
}

std::vector<RankStart> Ranks::starts() const {
  std::vector<RankStart> starts;
  for (const auto pid : signs_.pids) {
    const auto rank = std::ranges::find(
        ranks_, pid, [](const Rank& one) { return static_cast<pid_t>(one.place.pid); });
    const auto time = rank->process ? rank->process->start_time() : std::nullopt;
    starts.push_back({pid, time.value_or(first_possible_start_), time || !rank->runs()});
  }
  return starts;
}

bool Ranks::exited(const wire::TaskExit& task, Time now) {
  if (task.local_id >= ranks_.size() || ranks_[task.local_id].wait_status) return false;
  auto& rank = ranks_[task.local_id];
  rank.wait_status = static_cast<std::int32_t>(task.wait_status);
  if (!rank.end) rank.end = now;
  return true;
}

bool Ranks::ended(std::size_t local_id, Time now) {
  if (ranks_.at(local_id).end) return false;
  ranks_[local_id].end = now;
  return true;
}

void Ranks::look() {
  for (auto& rank : ranks_) {
    open_again(rank);
    if (!rank.runs()) continue;
    signs_.task_groups.merge(task_groups_of("/proc", rank.process->pid()));
    std::erase_if(rank.owed, [&](int signal) { return rank.process->signal(signal); });
  }
}

bool Ranks::any_is_hidden() const {
  return std::ranges::any_of(ranks_, [](const Rank& rank) {
    const auto pid = static_cast<pid_t>(rank.place.pid);
    return !rank.end && pid > 1 && (!rank.process || rank.runs()) && !stat_of("/proc", pid);
  });
}

void Ranks::pass_on(int signal) {
  constexpr std::size_t max_owed = 16;
  const auto all_below = below();
  const auto spared = spared_from(signal, all_below);
  for (auto& rank : ranks_) {
    if (rank.end || (rank.process && spared.contains(rank.process->pid()))) continue;
    if (rank.process && rank.process->signal(signal)) continue;
    if (rank.owed.size() < max_owed) rank.owed.push_back(signal);
  }
  for (const auto& stat : all_below) {
    const auto process = spared.contains(stat.pid) ? std::nullopt : Process::open(stat);
    if (process && process->runs()) static_cast<void>(process->signal(signal));
  }
}

std::vector<report::RankPlace> Ranks::places() const {
  std::vector<report::RankPlace> places;
  for (const auto& rank : ranks_) places.push_back(rank.place);
  return places;
}

bool Ranks::complete() const {
  return std::ranges::all_of(ranks_, [](const Rank& rank) { return rank.wait_status.has_value(); });
}

bool Ranks::any_runs() const {
  return std::ranges::any_of(ranks_, &Rank::runs);
}

bool Ranks::signal(std::initializer_list<int> signals) {
  bool any = false;
  for (auto& rank : ranks_) {
    if (!rank.runs()) continue;
    // A rank that was already exiting ends by itself, whether or not it has failed.
    rank.signalled = rank.signalled || !rank.process->ends();
    for (const int signal : signals) any |= rank.process->signal(signal);
  }
  return signal_below(signals) || any;
}

bool Ranks::ask_to_stop() {
  if (std::ranges::any_of(asked_, &Process::runs)) return true;
  asked_.clear();
  const auto all_below = below();
  const auto spared = spared_from(SIGTERM, all_below);
  const auto ask = [&](std::optional<Process> process) {
    if (!process || !process->runs()) return;
    const bool asked = !spared.contains(process->pid()) && process->signal(SIGTERM);
    static_cast<void>(process->signal(SIGCONT));
    if (asked) asked_.push_back(std::move(*process));
  };
  for (auto& rank : ranks_) {
    if (!rank.runs()) continue;
    // A rank that was already exiting ends by itself, whether or not it has failed.
    rank.signalled = rank.signalled || !rank.process->ends();
    ask(Process::open(rank.process->pid()));
  }
  for (const auto& stat : all_below) ask(Process::open(stat));
  return !asked_.empty();
}

std::set<pid_t> Ranks::spared_from(int signal, const std::vector<ProcessStat>& below) const {
  if (is_job_control(signal)) return {};
  std::vector<pid_t> pids;
  std::vector<ProgramProcess> programs;
  for (const auto& rank : ranks_) {
    if (!rank.runs()) continue;
    pids.push_back(rank.process->pid());
    programs.push_back(program_of(rank.process->pid(), 0, signal));
  }
  for (const auto& stat : below) programs.push_back(program_of(stat.pid, stat.parent, signal));
  return spared_from_signal(pids, programs);
}

void Ranks::kill_rest() {
  constexpr int max_rounds = 4;
  for (int round = 0; round < max_rounds && signal({SIGKILL}); ++round) {
  }
}

bool Ranks::signal_below(std::initializer_list<int> signals) const {
  bool any = false;
  for (const auto& stat : below()) {
    const auto process = Process::open(stat);
    if (!process || !process->runs()) continue;
    for (const int signal : signals) any |= process->signal(signal);
  }
  return any;
}

std::vector<ProcessStat> Ranks::below() const {
  const auto ranks = starts();
  if (ranks.empty()) return {};
  auto signs = signs_;
  signs.first_start = std::ranges::min(ranks, {}, &RankStart::start_time).start_time;
  return processes_below(ranks, marked_processes("/proc", signs, geteuid()), spared_);
}

}  // namespace muster::ranks
