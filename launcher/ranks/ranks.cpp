#include "launcher/ranks/ranks.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include <unistd.h>

namespace muster::ranks {

Ranks::Ranks(const std::vector<report::RankPlace>& places, std::string step, pid_t parent)
    : signs_{.step = std::move(step), .pids = {}, .task_groups = {}, .first_start = 0},
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
    if (!ranks_[id].process) continue;
    signs_.pids.insert(pid);
    starts_.push_back({pid, ranks_[id].process->start_time()});
    signs_.first_start = std::ranges::min(starts_, {}, &RankStart::start_time).start_time;
  }
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
    if (!rank.runs()) continue;
    signs_.task_groups.merge(task_groups_of("/proc", rank.process->pid()));
    std::erase_if(rank.owed, [&](int signal) { return rank.process->signal(signal); });
  }
}

void Ranks::pass_on(int signal) {
  constexpr std::size_t max_owed = 16;
  for (auto& rank : ranks_) {
    if (rank.end || (rank.process && rank.process->signal(signal))) continue;
    if (rank.owed.size() < max_owed) rank.owed.push_back(signal);
  }
  signal_below({signal});
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
    // What was on its way out has failed, or not, by itself.
    rank.signalled = rank.signalled || !rank.process->ends();
    for (const int signal : signals) any |= rank.process->signal(signal);
  }
  return signal_below(signals) || any;
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
  if (starts_.empty()) return {};
  return processes_below(starts_, process_table("/proc", signs_, geteuid()), spared_);
}

}  // namespace muster::ranks
