#include "launcher/agent/ranks/standstill.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/format.h>

namespace muster::ranks {
namespace {

constexpr int max_stop_rounds = 4;

std::optional<ProcessStat> stat_now(const Process& process) {
  auto stat = stat_of("/proc", process.pid());
  const auto start_time = process.start_time();
  if (!stat || (start_time && stat->start_time != *start_time)) return std::nullopt;
  return stat;
}

bool is_stopped(const ProcessStat& stat) {
  return stat.state == 'T' || stat.state == 't';
}

}  // namespace

bool Standstill::stop_one(const ProcessStat& stat, const Process& process) {
  if (is_stopped(stat)) return false;
  const Key key{stat.pid, stat.start_time};
  if (before_ && !stopped_.contains(key)) before_(key);
  if (!process.signal(SIGSTOP)) return false;
  stopped_.insert(key);
  return true;
}

// A process's list of children in /proc saves a pass over all processes, but not every kernel has it.
bool Standstill::stop_children(pid_t parent, int depth) {
  constexpr int max_depth = 16;
  bool any = false;
  std::error_code failed;  // the process may end in the meantime
  std::filesystem::directory_iterator task(fmt::format("/proc/{}/task", parent), failed);
  for (; !failed && task != std::filesystem::directory_iterator(); task.increment(failed)) {
    std::ifstream children(task->path() / "children");
    for (pid_t child = 0; children >> child;) {
      const auto stat = stat_of("/proc", child);
      if (!stat || stat->state == 'Z') continue;
      const auto process = Process::open(*stat);
      any |= process && stop_one(*stat, *process);
      if (depth < max_depth) any |= stop_children(child, depth + 1);
    }
  }
  return any;
}

void Standstill::stop(const Ranks& ranks) {
  bool any = true;
  for (int round = 0; any && round < max_stop_rounds; ++round) {
    any = false;
    for (const auto& rank : ranks.all()) {
      if (!rank.runs()) continue;
      const auto stat = stat_now(*rank.process);
      any |= stat && stop_one(*stat, *rank.process);
      any |= stop_children(rank.process->pid(), 0);
    }
    for (const auto& stat : ranks.below()) {
      if (is_stopped(stat) || stat.state == 'Z') continue;
      const auto process = Process::open(stat);
      any |= process && process->runs() && stop_one(stat, *process);
    }
  }
}

void Standstill::go_on() {
  for (const auto& [pid, start_time] : stopped_) {
    ProcessStat stat;
    stat.pid = pid;
    stat.start_time = start_time;
    const auto process = Process::open(stat);
    if (process) static_cast<void>(process->signal(SIGCONT));
  }
  forget();
}

}  // namespace muster::ranks
