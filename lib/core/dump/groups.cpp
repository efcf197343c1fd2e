#include "core/dump/groups.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace muster::dump {
namespace {

constexpr std::uint32_t busy_percent = 50;

const Thread* main_thread(const Sample& sample) {
  const auto found = std::ranges::find_if(sample.threads, &Thread::main);
  return found == sample.threads.end() ? nullptr : &*found;
}

const std::vector<Frame>& frames_of(const Sample& sample) {
  static const std::vector<Frame> none;
  const auto* const thread = main_thread(sample);
  return thread == nullptr ? none : thread->frames;
}

bool same_place(const Frame& one, const Frame& other) {
  return one.function == other.function && one.file == other.file;
}

std::uint32_t cpu_percent(const ProcessLook& look) {
  if (look.apart_ms == 0 || look.second.cpu_ms <= look.first.cpu_ms) return 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(
      (look.second.cpu_ms - look.first.cpu_ms) * 100 / look.apart_ms, 99900));
}

bool stays(const ProcessLook& look, char state) {
  return look.first.state == state && look.second.state == state;
}

// Why a process cannot continue by itself; empty if it can.
std::string standstill(const ProcessLook& look) {
  if (stays(look, 'T')) return "stopped by a signal (state T)";
  if (stays(look, 't')) return "held by a debugger (state t)";
  if (look.second.state == 'Z' || look.second.state == 'X') return "has exited (state Z)";
  if (stays(look, 'D')) {
    return look.second.wait.empty()
               ? std::string("in uninterruptible sleep (state D)")
               : fmt::format("in uninterruptible sleep (state D) in {}", look.second.wait);
  }
  return {};
}

// On a busy node a spinning process gets less than a CPU.
bool spins(const ProcessLook& look) {
  return cpu_percent(look) >= busy_percent || stays(look, 'R');
}

// For a process that may continue. Contains no figure that differs between ranks.
std::string activity(const ProcessLook& look) {
  if (spins(look)) return "computing or spinning";
  if (look.second.wait.empty()) return "sleeping";
  return fmt::format("sleeping in {}", look.second.wait);
}

bool has_stack(const ProcessLook& look) {
  return !frames_of(look.first).empty() || !frames_of(look.second).empty();
}

bool moved(const ProcessLook& look) {
  const auto& second = frames_of(look.second);
  return !second.empty() && frames_of(look.first) != second;
}

// Two ranks with the same key are doing the same thing.
struct Key {
  bool silent = false;
  std::string what;
  std::vector<Frame> stack;
  bool moves = false;
  bool missing = false;

  [[nodiscard]] auto order() const {
    std::string text;
    for (const auto& frame : stack) {
      text += fmt::format("{}\n{}\n{}\n", frame.function, frame.file, frame.line);
    }
    return std::tuple(silent, what, text, moves, missing);
  }
  friend bool operator<(const Key& one, const Key& other) { return one.order() < other.order(); }
};

// A stack, if there is one, says more than the name of the kernel function.
Key key_of(const ProcessLook& look) {
  if (auto why = standstill(look); !why.empty()) {
    return {true, std::move(why), common_frames(look.first, look.second), false};
  }
  auto stack = common_frames(look.first, look.second);
  if (stack.empty()) return {false, activity(look), {}, moved(look)};
  return {false, spins(look) ? "computing or spinning" : "waiting", std::move(stack), moved(look)};
}

using ByRank = std::map<std::uint32_t, std::vector<const ProcessLook*>>;

ByRank by_rank(const Looks& looks) {
  ByRank ranks;
  for (const auto& look : looks.processes) ranks[look.rank].push_back(&look);
  return ranks;
}

std::set<std::uint32_t> asked_ranks(const Question& question, const ByRank& known) {
  if (!question.ranks.empty()) return question.ranks;
  std::set<std::uint32_t> asked;
  for (std::uint32_t rank = 0; rank < question.ranks_of_step; ++rank)
    asked.insert(asked.end(), rank);
  for (const auto& [rank, looks] : known) asked.insert(rank);
  return asked;
}

void add(Group& group, std::uint32_t rank, const ProcessLook& look) {
  if (group.ranks.empty()) {
    group.node = look.node;
    group.pid = look.pid;
    if (!has_stack(look)) group.remark = look.remark;
  }
  group.ranks.push_back(rank);
  group.cpu_percent = std::max(group.cpu_percent, cpu_percent(look));
}

// Whether the ranks wait for others inside a communication library.
bool is_in_collective(const Group& group) {
  constexpr std::string_view places[] = {"distributed_c10d", "c10d_logger", "gloo",    "nccl",
                                         "libmpi",           "mpi4py",      "horovod", "muster"};
  return std::ranges::any_of(group.stack, [&](const Frame& frame) {
    return std::ranges::any_of(places, [&](auto place) {
      return frame.file.find(place) != std::string::npos ||
             frame.function.find(place) != std::string::npos;
    });
  });
}

// The largest group counts as waiting; if several tie, one inside a collective.
void judge(std::vector<Group>& groups) {
  const auto weight = [](const Group& group) {
    return std::tuple(group.standing != Standing::silent, !group.missing, group.ranks.size(),
                      is_in_collective(group), !group.moves);
  };
  for (auto& group : groups) {
    if (group.standing != Standing::silent) group.standing = Standing::suspect;
  }
  const auto most = std::ranges::max_element(groups, {}, weight);
  if (most != groups.end() && most->standing != Standing::silent)
    most->standing = Standing::waiting;
  std::ranges::stable_sort(groups, {}, [](const Group& group) {
    return std::tuple(group.standing, !group.missing, group.ranks.size());
  });
}

std::vector<Group> groups_of(const std::set<std::uint32_t>& asked, const ByRank& known,
                             const std::set<std::uint32_t>& missing) {
  std::map<Key, Group> found;
  Group lost{.standing = Standing::silent, .ranks = {}, .what = "no answer"};
  for (const auto rank : asked) {
    const auto looks = known.find(rank);
    if (looks == known.end()) {
      lost.ranks.push_back(rank);
      continue;
    }
    const auto& look = main_process(looks->second);
    auto key = key_of(look);
    key.missing = missing.contains(rank);
    auto& group = found[key];
    add(group, rank, look);
    group.missing = key.missing;
    group.standing = key.silent ? Standing::silent : Standing::suspect;
    group.what = key.what;
    group.stack = std::move(key.stack);
    group.moves = key.moves;
  }
  std::vector<Group> groups;
  if (!lost.ranks.empty()) groups.push_back(std::move(lost));
  for (auto& [key, group] : found) groups.push_back(std::move(group));
  judge(groups);
  return groups;
}

std::vector<ChildGroup> children_of(const std::set<std::uint32_t>& asked, const ByRank& known) {
  std::map<std::pair<std::string, Key>, ChildGroup> found;
  for (const auto& [rank, looks] : known) {
    if (!asked.contains(rank)) continue;
    const auto& main = main_process(looks);
    for (const auto* const look : looks) {
      if (look == &main || look->parent == 0) continue;
      auto key = key_of(*look);
      auto& group = found[{look->program, key}];
      if (group.processes++ == 0) {
        group.program = look->program;
        group.node = look->node;
        group.pid = look->pid;
        group.what = key.what;
        group.stack = std::move(key.stack);
        group.stands_still = key.silent;
      }
      group.ranks.insert(rank);
    }
  }
  std::vector<ChildGroup> children;
  for (auto& [key, group] : found) children.push_back(std::move(group));
  std::ranges::stable_sort(children, {}, [](const ChildGroup& group) {
    return std::tuple(!group.stands_still, group.processes);
  });
  return children;
}

// "node1 and 2 more: py-spy is not installed"
std::vector<std::string> remarks_of(const Looks& looks) {
  std::map<std::string, std::set<std::string>> nodes;
  for (const auto& remark : looks.remarks) nodes[remark.line].insert(remark.node);
  std::vector<std::string> lines;
  for (const auto& [line, names] : nodes) {
    const auto others = names.size() - 1;
    lines.push_back(others == 0 ? fmt::format("{}: {}", *names.begin(), line)
                                : fmt::format("{} and {} more: {}", *names.begin(), others, line));
  }
  return lines;
}

}  // namespace

std::vector<Frame> common_frames(const Sample& first, const Sample& second) {
  const auto& one = frames_of(first);
  const auto& other = frames_of(second);
  if (one.empty() || other.empty()) return one.empty() ? other : one;
  std::vector<Frame> common;
  for (std::size_t depth = 1; depth <= std::min(one.size(), other.size()); ++depth) {
    auto frame = one[one.size() - depth];
    const auto& later = other[other.size() - depth];
    if (!same_place(frame, later)) break;
    const bool stayed = frame.line == later.line;
    if (!stayed) frame.line = 0;
    common.insert(common.begin(), std::move(frame));
    if (!stayed) break;
  }
  return common;
}

const ProcessLook& main_process(const std::vector<const ProcessLook*>& looks) {
  const auto* task = looks.front();
  for (const auto* const look : looks) {
    if (look->parent == 0) task = look;
  }
  if (has_stack(*task)) return *task;
  const ProcessLook* python = nullptr;
  for (const auto* const look : looks) {
    if (has_stack(*look) && (python == nullptr || look->pid < python->pid)) python = look;
  }
  return python == nullptr || !standstill(*task).empty() ? *task : *python;
}

std::set<std::uint32_t> representatives(const Dump& dump, std::size_t max_ranks) {
  std::vector<const Group*> groups;
  for (const auto& group : dump.groups) {
    if (group.standing != Standing::silent) groups.push_back(&group);
  }
  std::ranges::stable_sort(groups, std::ranges::greater(),
                           [](const Group* group) { return group->ranks.size(); });
  if (groups.size() > max_ranks) groups.resize(max_ranks);
  std::set<std::uint32_t> ranks;
  for (const auto* const group : groups) ranks.insert(group->ranks.front());
  return ranks;
}

void add_native_looks(Dump& dump, Looks looks) {
  for (auto& group : dump.groups) {
    for (const auto& look : looks.processes) {
      if (look.rank != group.ranks.front() || look.pid != group.pid || look.node != group.node) {
        continue;
      }
      if (has_stack(look)) {
        group.stack = common_frames(look.first, look.second);
      } else if (group.stack.empty()) {
        group.remark = look.remark;
      }
    }
  }
  std::ranges::move(looks.processes, std::back_inserter(dump.looks.processes));
}

Dump make_dump(const Question& question, Looks looks) {
  Dump dump;
  dump.step = question.step;
  dump.ranks_of_step = question.ranks_of_step;
  {
    const auto known = by_rank(looks);
    const auto asked = asked_ranks(question, known);
    dump.collectives = stuck_collectives(looks, asked);
    dump.groups = groups_of(asked, known, missing_ranks(dump.collectives));
    dump.children = children_of(asked, known);
  }
  dump.remarks = remarks_of(looks);
  for (const auto& look : looks.processes) {
    if (dump.logs.empty()) dump.logs = look.logs;
  }
  dump.looks = std::move(looks);
  return dump;
}

}  // namespace muster::dump
