#include "launcher/agent/links.hpp"

#include "core/text/number.hpp"

#include <algorithm>
#include <ctime>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::agent {
namespace {

using std::chrono::nanoseconds;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr nanoseconds shortest = 1s;
constexpr nanoseconds longest = 60s;
constexpr int part_of_time =
    1000;  // for each of two tasks: to look, and to find the ranks' sockets
constexpr nanoseconds find_interval = 10s;
constexpr nanoseconds longest_find_interval = 10min;
constexpr auto tell_interval = 5s;
constexpr std::size_t max_open_files = std::size_t{1} << 16;
constexpr std::size_t max_rank_processes = 4096;

nanoseconds thread_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

}  // namespace

std::set<std::uint64_t> sockets_of(const fs::path& proc, pid_t pid) {
  constexpr std::string_view prefix = "socket:[";
  std::set<std::uint64_t> inodes;
  std::error_code failed;
  std::size_t files = 0;
  for (fs::directory_iterator at(proc / fmt::to_string(pid) / "fd", failed), end;
       !failed && at != end && files < max_open_files; at.increment(failed), ++files) {
    std::error_code gone;
    const auto target = fs::read_symlink(at->path(), gone).string();
    if (gone || !target.starts_with(prefix) || !target.ends_with(']')) continue;
    const auto inode = text::number<std::uint64_t>(
        std::string_view(target).substr(prefix.size(), target.size() - prefix.size() - 1));
    if (inode) inodes.insert(*inode);
  }
  return inodes;
}

// A rank may be a shell that has started the program, or torchrun.
void Links::find_sockets(const ranks::Ranks& ranks) {
  own_.clear();
  std::vector<pid_t> processes;
  for (const auto& rank : ranks.all()) {
    if (rank.runs()) processes.push_back(rank.process->pid());
  }
  for (const auto& process : ranks.below()) processes.push_back(process.pid);
  if (processes.size() > max_rank_processes) processes.resize(max_rank_processes);
  for (const auto pid : processes) own_.merge(sockets_of("/proc", pid));
}

void Links::look_at_connections(Time now, const ranks::Ranks& ranks) {
  auto connections = tcp_connections();
  if (!connections) return;
  std::erase_if(*connections, [](const auto& each) { return each.user != geteuid(); });
  const auto is_new = [this](const auto& each) { return !known_.contains(each.counters.inode); };
  if (now >= find_again_ && std::ranges::any_of(*connections, is_new)) {
    const auto begin = thread_time();
    find_sockets(ranks);
    known_.clear();
    for (const auto& each : *connections) known_.insert(each.counters.inode);
    find_again_ = now + std::clamp(part_of_time * (thread_time() - begin), find_interval,
                                   longest_find_interval);
  }
  std::vector<slow::Connection> of_ranks;
  for (const auto& each : *connections) {
    if (own_.contains(each.counters.inode)) of_ranks.push_back(each.counters);
  }
  traffic_.look(of_ranks);
}

std::optional<slow::Traffic> Links::look(Time now, const ranks::Ranks& ranks) {
  if (now < next_) return std::nullopt;
  const auto begin = thread_time();
  look_at_connections(now, ranks);
  next_ = now + std::clamp(part_of_time * (thread_time() - begin), shortest, longest);
  if (now < tell_) return std::nullopt;
  tell_ = now + tell_interval;
  return traffic_.take();
}

}  // namespace muster::agent
