#include "launcher/ranks/hold.hpp"

#include "launcher/os/open_files.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::ranks {
namespace {

constexpr int max_hold_rounds = 4;

std::optional<ProcessStat> stat_now(const Process& process) {
  auto stat = stat_of("/proc", process.pid());
  const auto start_time = process.start_time();
  if (!stat || (start_time && stat->start_time != *start_time)) return std::nullopt;
  return stat;
}

bool is_stopped(const ProcessStat& stat) {
  return stat.state == 'T' || stat.state == 't';
}

// Nothing where it is no longer that process.
void send(const ProcessStat& stat, int signal) {
  const auto process = Process::open(stat);
  [[maybe_unused]] const bool sent = process && process->signal(signal);
}

void kill_all(const Ranks& ranks) {
  for (int round = 0; round < max_hold_rounds; ++round) {
    std::vector<ProcessStat> all = ranks.below();
    for (const auto& rank : ranks.all()) {
      if (!rank.process || !rank.process->start_time()) continue;
      ProcessStat stat;
      stat.pid = rank.process->pid();
      stat.start_time = *rank.process->start_time();
      all.push_back(stat);
    }
    for (const auto& stat : all) {
      send(stat, SIGKILL);
    }
  }
}

// In the child, which has no descriptor but that one. The parent writes nothing before the end.
[[noreturn]] void guard(const Ranks& ranks, int parent_lives,
                        const std::function<void()>& afterwards) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) std::signal(signal, SIG_DFL);
  os::close_others(parent_lives);
  char byte = 0;
  ssize_t size = -1;
  while ((size = read(parent_lives, &byte, 1)) < 0 && errno == EINTR) {
  }
  if (size != 0) _exit(0);
  kill_all(ranks);
  if (afterwards) afterwards();
  _exit(0);
}

}  // namespace

HoldGuard::HoldGuard(const Ranks& ranks, const std::function<void()>& afterwards) {
  std::array<int, 2> pipe{-1, -1};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) return;
  const os::Descriptor parent_lives(pipe[0]);
  alive_ = os::Descriptor(pipe[1]);
  guard_ = fork();
  if (guard_ == 0) guard(ranks, parent_lives.get(), afterwards);
}

HoldGuard::~HoldGuard() {
  if (guard_ <= 0) return;
  kill(guard_, SIGKILL);
  while (waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool Hold::stop_one(const ProcessStat& stat, const Process& process) {
  if (is_stopped(stat) || !process.signal(SIGSTOP)) return false;
  stopped_.emplace(stat.pid, stat.start_time);
  return true;
}

// What the kernel says of a process's children takes no look at all processes. Not every kernel does.
bool Hold::stop_children(pid_t parent, int depth) {
  constexpr int max_depth = 16;
  bool any = false;
  std::error_code failed;  // the process may end meanwhile
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

void Hold::stop(const Ranks& ranks) {
  bool any = true;
  for (int round = 0; any && round < max_hold_rounds; ++round) {
    any = false;
    for (const auto& rank : ranks.all()) {
      if (!rank.runs()) continue;
      const auto stat = stat_now(*rank.process);
      any |= stat && stop_one(*stat, *rank.process);
      any |= stop_children(rank.process->pid(), 0);
    }
    if (!guard_) guard_.emplace(ranks, when_abandoned_);
    for (const auto& stat : ranks.below()) {
      if (is_stopped(stat) || stat.state == 'Z') continue;
      const auto process = Process::open(stat);
      any |= process && process->runs() && stop_one(stat, *process);
    }
  }
}

void Hold::go_on() {
  for (const auto& [pid, start_time] : stopped_) {
    ProcessStat stat;
    stat.pid = pid;
    stat.start_time = start_time;
    send(stat, SIGCONT);
  }
  forget();
}

void Hold::forget() {
  stopped_.clear();
  guard_.reset();
}

}  // namespace muster::ranks
