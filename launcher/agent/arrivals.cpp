#include "launcher/agent/arrivals.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <csignal>
#include <utility>
#include <vector>

namespace muster::agent {
namespace {

using std::chrono::nanoseconds;
using namespace std::chrono_literals;

constexpr auto time_to_answer = 300ms;
constexpr nanoseconds shortest_interval = 5s;
constexpr nanoseconds longest_interval = 60s;
constexpr int cost_share = 1000;  // an answer may take this part of the time
constexpr auto find_interval =
    20s;  // while a rank cannot be asked: it may not have imported torch yet
constexpr auto find_interval_of_all = 120s;

nanoseconds wall_time() {
  return std::chrono::system_clock::now().time_since_epoch();
}

}  // namespace

// A rank may be a shell that has started the program, or torchrun.
void Arrivals::find_doors(Time now, const ranks::Ranks& ranks) {
  std::erase_if(doors_, [](const auto& each) { return kill(each.first, 0) != 0; });
  if (now < find_again_) return;
  std::vector<pid_t> processes;
  std::size_t running = 0;
  for (const auto& rank : ranks.all()) {
    if (!rank.runs()) continue;
    ++running;
    processes.push_back(rank.process->pid());
  }
  if (doors_.size() < running)
    for (const auto& process : ranks.below()) processes.push_back(process.pid);
  for (const auto pid : processes) {
    if (doors_.contains(pid)) continue;
    if (auto door = ranks::RecorderDoor::find(pid))
      doors_.emplace(pid, Asked{.door = std::move(*door), .since = wall_time()});
  }
  find_again_ = now + (doors_.size() < running ? find_interval : find_interval_of_all);
}

std::vector<pid_t> Arrivals::processes_of(std::optional<std::uint32_t> rank) const {
  std::vector<pid_t> processes;
  for (const auto& [pid, asked] : doors_) {
    if (asked.rank && (!rank || asked.rank == rank)) processes.push_back(pid);
  }
  return processes;
}

void Arrivals::read_clocks() {
  const auto wall = wall_time();
  if (!wall_clock_.read(wall, std::chrono::steady_clock::now().time_since_epoch())) return;
  arrivals_.clear();
  for (auto& [pid, asked] : doors_) asked.since = wall;
}

void Arrivals::ask(Time now) {
  for (auto& [pid, asked] : doors_) {
    asked.door.ask_times(asked.since);
    asked.waits = true;
  }
  reads_next_ = !doors_.empty();
  next_ = now + (reads_next_ ? time_to_answer : shortest_interval);
}

void Arrivals::take(Asked& asked, const slow::Convert& convert) {
  try {
    const auto answer = asked.door.times();
    if (!answer) return;
    asked.waits = false;
    asked.rank = answer->rank;
    asked.cost = answer->cost;
    if (answer->arrivals.empty()) return;
    asked.since = answer->arrivals.back().wall;
    arrivals_.add(*answer, convert);
  } catch (const Error&) {  // ignore a recorder that cannot be read
    asked.waits = false;
  }
}

std::optional<slow::Piece> Arrivals::read(const Convert& convert) {
  nanoseconds error{0};
  const auto by_supervisor = [&](nanoseconds wall) -> std::optional<nanoseconds> {
    const auto monotonic = wall_clock_.monotonic(wall);
    if (!monotonic) return std::nullopt;
    const auto moment = convert(Time(*monotonic));
    error = std::max(error, moment.error);
    return moment.error > slow::greatest_error ? std::nullopt : std::optional(moment.time);
  };
  for (auto& [pid, asked] : doors_) {
    if (asked.waits) take(asked, by_supervisor);
  }
  return arrivals_.take(error);
}

std::optional<slow::Piece> Arrivals::look(Time now, const ranks::Ranks& ranks,
                                          const Convert& convert) {
  if (now < next_) return std::nullopt;
  read_clocks();
  if (std::exchange(reads_next_, false)) {
    auto piece = read(convert);
    nanoseconds cost{0};
    for (const auto& [pid, asked] : doors_) cost = std::max(cost, asked.cost);
    next_ =
        now + std::clamp(cost_share * cost, shortest_interval, longest_interval) - time_to_answer;
    return piece;
  }
  // A rank whose CPUs are throttled may take longer to answer.
  const bool waits =
      std::ranges::any_of(doors_, [](const auto& each) { return each.second.waits; });
  auto late = waits ? read(convert) : std::nullopt;
  find_doors(now, ranks);
  ask(now);
  return late;
}

}  // namespace muster::agent
