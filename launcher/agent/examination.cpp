#include "launcher/agent/examination.hpp"

#include "core/contains.hpp"
#include "core/text/list.hpp"
#include "core/text/number.hpp"
#include "launcher/os/small_file.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_file = std::size_t{64} << 10;
constexpr std::size_t max_depth = 32;     // of control groups
constexpr std::size_t max_workers = 256;  // of a rank
constexpr std::uint64_t thousandths = 1000;

// The number after `word` on the line that begins with it.
std::optional<std::uint64_t> value_in(const std::string& file, std::string_view word) {
  for (const auto line : text::split(file, '\n')) {
    if (line.starts_with(word) && line.size() > word.size() + 1)
      return text::number<std::uint64_t>(line.substr(word.size() + 1));
  }
  return std::nullopt;
}

// "some avg10=0.00 avg60=0.00 avg300=0.00 total=195006"
std::optional<std::uint64_t> stall_of(const fs::path& file) {
  const auto text = os::small_file(file, max_file);
  const auto line = std::string_view(text).substr(0, text.find('\n'));
  const auto total = line.rfind("total=");
  if (!line.starts_with("some ") || total == line.npos) return std::nullopt;
  return text::number<std::uint64_t>(line.substr(total + 6));
}

// "MemTotal:       24684140 kB"
std::uint64_t kib_of(const std::string& file, std::string_view name) {
  for (const auto line : text::split(file, '\n')) {
    if (!line.starts_with(name)) continue;
    const auto first = std::min(line.find_first_not_of(' ', name.size()), line.size());
    return text::number<std::uint64_t>(line.substr(first, line.find(' ', first) - first))
        .value_or(0);
  }
  return 0;
}

// The node's pressure also contains tasks that only their own control group keeps short of memory.
std::optional<std::uint64_t> stall_of_node(const fs::path& proc) {
  constexpr std::uint64_t little = 10;  // a tenth
  const auto memory = os::small_file(proc / "meminfo", max_file);
  const auto total = kib_of(memory, "MemTotal:");
  if (total == 0 || kib_of(memory, "MemAvailable:") > total / little) return std::nullopt;
  return stall_of(proc / "pressure/memory");
}

std::optional<std::uint64_t> larger(std::optional<std::uint64_t> one,
                                    std::optional<std::uint64_t> other) {
  return one && other ? std::max(one, other) : one ? one : other;
}

void read_group(RankCounters& counters, const fs::path& group, bool second_version) {
  const auto stat = os::small_file(group / "cpu.stat", max_file);
  auto throttled = value_in(stat, second_version ? "throttled_usec" : "throttled_time");
  if (throttled && !second_version) *throttled /= thousandths;  // nanoseconds
  counters.throttled_us = larger(counters.throttled_us, throttled);
  if (second_version)
    counters.memory_stall_us =
        larger(counters.memory_stall_us, stall_of(group / "memory.pressure"));
}

// A limit of any group above holds it back as well.
void read_groups(RankCounters& counters, const fs::path& mount, std::string_view path,
                 bool second_version) {
  auto group = fs::path(path).relative_path();
  for (std::size_t depth = 0; depth < max_depth && !group.empty(); ++depth) {
    read_group(counters, mount / group, second_version);
    group = group.parent_path();
  }
}

void read_control_groups(RankCounters& counters, const fs::path& process, const fs::path& groups) {
  const auto file = os::small_file(process / "cgroup", max_file);
  for (const auto line : text::split(file, '\n')) {
    const auto parts = text::split(line, ':');
    if (parts.size() < 3) continue;
    if (parts[1].empty()) {
      for (const auto& mount : {groups, groups / "unified"})
        read_groups(counters, mount, parts[2], true);
    } else if (contains(text::split(parts[1], ','), std::string_view("cpu"))) {
      for (const auto& mount : {groups / "cpu", groups / parts[1]})
        read_groups(counters, mount, parts[2], false);
    }
  }
}

// "ns on a CPU, ns ready without one, how often": of the main thread.
std::vector<std::uint64_t> schedule_of(const fs::path& process) {
  std::vector<std::uint64_t> numbers;
  const auto line = os::first_line(process / "schedstat", max_file);
  for (const auto word : text::split(line, ' '))
    numbers.push_back(text::number<std::uint64_t>(word).value_or(0));
  return numbers;
}

// The fields of /proc/PID/stat behind the name, which may contain anything.
std::vector<std::string> stat_fields(const fs::path& process) {
  const auto text = os::small_file(process / "stat", max_file);
  const auto name = text.rfind(')');
  std::vector<std::string> fields;
  if (name == std::string::npos || name + 2 > text.size()) return fields;
  for (const auto word : text::split(std::string_view(text).substr(name + 2), ' '))
    fields.emplace_back(word);
  return fields;
}

std::uint64_t field_at(const std::vector<std::string>& fields, std::size_t index) {
  return index < fields.size() ? text::number<std::uint64_t>(fields[index]).value_or(0) : 0;
}

std::vector<pid_t> children_of(const fs::path& process) {
  std::vector<pid_t> children;
  std::error_code none;
  for (const auto& thread : fs::directory_iterator(process / "task", none)) {
    const auto list = os::small_file(thread.path() / "children", max_file);
    for (const auto word : text::split(list, ' ')) {
      const auto pid = text::number<pid_t>(word);
      if (pid && *pid > 0 && children.size() < max_workers) children.push_back(*pid);
    }
  }
  return children;
}

std::uint64_t computed_ns(const fs::path& process) {
  constexpr std::size_t user_time = 11;
  constexpr std::uint64_t tick = 10'000'000;  // USER_HZ is 100 on every Linux
  const auto fields = stat_fields(process);
  return (field_at(fields, user_time) + field_at(fields, user_time + 1)) * tick;
}

RankCounters counters_of(const fs::path& proc, const fs::path& groups, pid_t pid) {
  constexpr std::size_t major_faults = 9;
  const auto process = proc / fmt::to_string(pid);
  RankCounters counters;
  read_control_groups(counters, process, groups);
  const auto schedule = schedule_of(process);
  if (schedule.size() >= 2) {
    counters.computed_ns = schedule[0];
    counters.queued_ns = schedule[1];
  }
  counters.faults = field_at(stat_fields(process), major_faults);
  for (const auto child : children_of(process)) {
    ++counters.workers;
    counters.workers_computed_ns += computed_ns(proc / fmt::to_string(child));
  }
  return counters;
}

// From the lines "PREFIX NAME NAME ..." and "PREFIX NUMBER NUMBER ...".
std::uint64_t count_of(std::string_view file, std::string_view prefix, std::string_view name) {
  std::vector<std::string> names;
  for (const auto line : text::split(file, '\n')) {
    if (!line.starts_with(prefix)) continue;
    const auto words = text::split(line, ' ');
    if (names.empty()) {
      names.assign(words.begin(), words.end());
      continue;
    }
    for (std::size_t i = 0; i < std::min(words.size(), names.size()); ++i)
      if (names[i] == name) return text::number<std::uint64_t>(words[i]).value_or(0);
  }
  return 0;
}

// A busy node acknowledges late, so that its peers send again what has arrived. It tells them so (DSACK), and
// the network has lost nothing.
void read_tcp(NodeCounters& counters, const fs::path& proc) {
  const auto usual = os::small_file(proc / "net/snmp", max_file);
  counters.segments = count_of(usual, "Tcp: ", "OutSegs");
  counters.repeated = count_of(usual, "Tcp: ", "RetransSegs");
  counters.needless =
      count_of(os::small_file(proc / "net/netstat", max_file), "TcpExt: ", "TCPDSACKRecvSegs");
}

std::uint32_t share(std::uint64_t before, std::uint64_t after, double time) {
  if (after <= before || time <= 0) return 0;
  constexpr double most = 1e9;
  return static_cast<std::uint32_t>(std::min(
      static_cast<double>(after - before) * static_cast<double>(thousandths) / time, most));
}

std::optional<std::uint32_t> share(const std::optional<std::uint64_t>& before,
                                   const std::optional<std::uint64_t>& after, double time) {
  if (!before || !after) return std::nullopt;
  return share(*before, *after, time);
}

}  // namespace

NodeCounters read_counters(const fs::path& proc, const fs::path& groups,
                           const std::vector<pid_t>& ranks) {
  NodeCounters counters{.time = std::chrono::steady_clock::now(), .ranks = {}};
  const auto of_node = stall_of_node(proc);
  for (const auto pid : ranks) {
    auto& rank = counters.ranks[pid] = counters_of(proc, groups, pid);
    if (!rank.memory_stall_us) rank.memory_stall_us = of_node;
  }
  read_tcp(counters, proc);
  return counters;
}

slow::Evidence compare(const NodeCounters& before, const NodeCounters& after) {
  const auto time = after.time - before.time;
  const auto us = std::chrono::duration<double, std::micro>(time).count();
  const auto ns = us * static_cast<double>(thousandths);
  const auto more = [](std::uint64_t then, std::uint64_t now) { return now - std::min(then, now); };
  const auto repeated = more(before.repeated, after.repeated);
  slow::Evidence found{
      .segments = more(before.segments, after.segments),
      .repeated = repeated - std::min(repeated, more(before.needless, after.needless))};
  const auto most = [](std::optional<std::uint32_t>& sum,
                       const std::optional<std::uint32_t>& value) {
    if (value) sum = std::max(sum.value_or(0), *value);
  };
  for (const auto& [pid, now] : after.ranks) {
    const auto old = before.ranks.find(pid);
    if (old == before.ranks.end()) continue;
    const auto& then = old->second;
    most(found.throttled, share(then.throttled_us, now.throttled_us, us));
    most(found.computing, share(then.computed_ns, now.computed_ns, ns));
    most(found.queueing, share(then.queued_ns, now.queued_ns, ns));
    most(found.memory_stall, share(then.memory_stall_us, now.memory_stall_us, us));
    most(found.faults, share(then.faults, now.faults, us / thousandths));
    found.workers = std::max(found.workers, now.workers);
    found.workers_computing = std::max(
        found.workers_computing, share(then.workers_computed_ns, now.workers_computed_ns, ns));
  }
  return found;
}

}  // namespace muster::agent
