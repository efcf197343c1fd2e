#include "launcher/tools/dump/node_dump.hpp"

#include "core/contains.hpp"
#include "core/error.hpp"
#include "launcher/agent/ranks/process_state.hpp"
#include "launcher/agent/ranks/process_table.hpp"
#include "launcher/agent/ranks/recorder_door.hpp"
#include "launcher/tools/dump/asked_stacks.hpp"
#include "launcher/tools/dump/python_stacks.hpp"
#include "launcher/tools/dump/ras_client.hpp"
#include "launcher/tools/dump/step_processes.hpp"
#include "launcher/tools/dump/tools.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace muster::dump {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t tools_at_once = 4;
constexpr milliseconds recorder_timeout{1000};
constexpr milliseconds ras_timeout{5000};
constexpr milliseconds recorder_interval{5};
constexpr milliseconds native_timeout{20'000};  // gdb needs 11 s for the symbols of a torch
constexpr std::chrono::seconds least_age{60};   // how old a rank must be for its RAS to be queried

struct Looked {
  ProcessLook look;
  Clock::time_point time;
  bool python = false;
  bool top = false;  // no Python process above it in its rank
  std::optional<ranks::RecorderDoor> recorder = {};
  bool recorder_asked = false;  // it has been asked but has not answered yet
  Clock::time_point stacks_asked = {};
};

// The variable with which the process started its program; empty if it had none.
std::string variable_of(std::int64_t pid, std::string_view name) {
  const auto environment = ranks::SeenProcess("/proc", static_cast<pid_t>(pid)).environment();
  return std::string(ranks::variable_in(environment, name).value_or(std::string_view()));
}

class NodeDump {
 public:
  NodeDump(const NodeOrder& order, const Environment& environment);

  void look();
  void emit(const std::function<void(const Message&)>& emit) const;

 private:
  void find_processes();
  void find_tools(const Environment& environment);
  void take_states(Sample ProcessLook::*which);
  void take_stacks(Sample ProcessLook::*which);
  void take_stack(Looked& looked, Sample ProcessLook::*which);
  Stacks stacks_of(Looked& looked, char state);
  void say_where_no_way_is_left();
  void find_recorders();
  void ask_recorders();
  void take_recorder(Looked& looked);
  [[nodiscard]] std::string ras_address() const;
  void await_recorders(Clock::time_point deadline);
  Stacks native_stacks_of(const Looked& looked) const;
  void remark(const std::string& line) { remarks_.push_back({order_.node, line}); }

  const NodeOrder& order_;
  std::vector<Looked> processes_;
  std::string py_spy_;
  std::string debugger_;
  std::string refused_;  // why other processes may not be inspected
  std::optional<PythonStacks> python_;
  std::vector<NodeRemark> remarks_;
  RasAnswer ras_;
};

NodeDump::NodeDump(const NodeOrder& order, const Environment& environment) : order_(order) {
  refused_ = ranks::why_no_tracing("/proc", geteuid() == 0);
  find_processes();
  find_tools(environment);
  python_.emplace(refused_.empty() ? py_spy_ : "", order_.signal, order_.tool_timeout);
  find_recorders();
}

void NodeDump::find_processes() {
  std::set<std::uint32_t> pythons;
  for (const auto& process : step_processes("/proc", order_.step, order_.node, geteuid())) {
    if (!order_.ranks.empty() && !order_.ranks.contains(process.rank)) continue;
    auto& looked = processes_.emplace_back();
    looked.look.rank = process.rank;
    looked.look.node = order_.node;
    looked.look.pid = static_cast<std::uint32_t>(process.stat.pid);
    looked.look.parent = static_cast<std::uint32_t>(process.parent);
    looked.look.program = ranks::program_name("/proc", process.stat.pid);
    if (process.parent == 0) {
      looked.look.logs = ranks::logs_folder("/proc", process.stat.pid, process.rank);
    }
    looked.python = ranks::is_python("/proc", process.stat.pid);
    looked.top = !pythons.contains(looked.look.parent);
    if (looked.python) pythons.insert(looked.look.pid);
  }
  if (processes_.empty()) remark("none of the requested ranks runs on this node");
}

// First on the ranks' PATH, then on the command's own.
void NodeDump::find_tools(const Environment& environment) {
  std::vector<std::string> paths;
  for (const auto& looked : processes_) {
    auto path = variable_of(looked.look.pid, "PATH");
    if (!contains(paths, path)) paths.push_back(std::move(path));
  }
  if (const auto* const own = environment.if_set("PATH")) paths.push_back(*own);
  py_spy_ = find_program("py-spy", paths);
  debugger_ = find_program("eu-stack", paths);
  if (debugger_.empty()) debugger_ = find_program("gdb", paths);
}

// After the first look. A program that has not even started Python's site module will have its package soon.
void NodeDump::say_where_no_way_is_left() {
  const bool missing = std::ranges::any_of(processes_, [](const Looked& looked) {
    const auto state = looked.look.first.state;
    return looked.python && looked.top && looked.look.first.threads.empty() && state != 'Z' &&
           state != 'X' && !looked.recorder &&
           !has_stacks_file(static_cast<pid_t>(looked.look.pid));
  });
  if (!missing || order_.native) return;
  if (!refused_.empty()) {
    remark(line_of(refused_ + ", and muster's start hook is not loaded in the ranks",
                   max_remark_bytes));
  } else if (py_spy_.empty()) {
    remark(
        "no Python stacks: py-spy is not on PATH, and muster's start hook is not loaded in the "
        "ranks; run `pip install py-spy`");
  }
}

void NodeDump::find_recorders() {
  bool missing = false;
  for (auto& looked : processes_) {
    if (!looked.python) continue;
    const auto pid = static_cast<pid_t>(looked.look.pid);
    looked.recorder = ranks::RecorderDoor::find(pid);
    if (!looked.recorder && looked.top && ranks::has_torch(pid)) missing = true;
  }
  if (missing)
    remark(
        "no information about collectives: this needs torch with a flight recorder, and muster's "
        "start hook");
}

void NodeDump::ask_recorders() {
  for (auto& looked : processes_) {
    if (!looked.recorder) continue;
    looked.recorder->ask();
    looked.recorder_asked = true;
    if (order_.native || order_.signal == SignalUse::only) continue;
    looked.recorder->ask_stacks();
    looked.stacks_asked = Clock::now();
  }
}

// Waits for all of them together: a rank that holds Python's lock, or is stopped, never answers.
void NodeDump::await_recorders(Clock::time_point deadline) {
  const auto awaited = [](const Looked& looked) { return looked.recorder_asked; };
  while (std::ranges::any_of(processes_, awaited)) {
    for (auto& looked : processes_) {
      if (looked.recorder_asked) take_recorder(looked);
    }
    if (Clock::now() >= deadline) return;
    std::this_thread::sleep_for(recorder_interval);
  }
}

// A later answer replaces the first one, and shows what has moved in between.
void NodeDump::take_recorder(Looked& looked) {
  try {
    auto recorder = looked.recorder->answer();
    if (!recorder) return;
    auto& known = looked.look.recorder;
    known = known ? moved_since(*known, std::move(*recorder)) : std::move(*recorder);
  } catch (const Error& error) {
    remark(line_of(error.what(), max_remark_bytes));
    looked.recorder.reset();
  }
  looked.recorder_asked = false;
}

// Any rank answers for the whole job, so only rank 0 is asked. Empty if it must not be asked: queries have
// harmed jobs with an older NCCL, and jobs that were creating communicators.
std::string NodeDump::ras_address() const {
  for (const auto& looked : processes_) {
    const auto& look = looked.look;
    if (!look.recorder || look.recorder->rank.value_or(look.rank) != 0) continue;
    const auto pid = static_cast<pid_t>(look.pid);
    if (!answers_ras(look.recorder->nccl) || ranks::age_of("/proc", pid) < least_age) continue;
    return variable_of(pid, "NCCL_RAS_ADDR");
  }
  return {};
}

void NodeDump::take_states(Sample ProcessLook::*which) {
  for (auto& looked : processes_) {
    looked.look.*which = ranks::process_state("/proc", static_cast<pid_t>(looked.look.pid));
    const auto now = Clock::now();
    looked.look.apart_ms = static_cast<std::uint32_t>(
        std::chrono::duration_cast<milliseconds>(now - std::exchange(looked.time, now)).count());
  }
}

Stacks NodeDump::native_stacks_of(const Looked& looked) const {
  const auto pid = static_cast<pid_t>(looked.look.pid);
  if (!looked.top) return {};
  if (!refused_.empty()) return {.remark = refused_};
  Stacks stacks;
  if (looked.python && !py_spy_.empty())
    stacks = native_py_spy_stacks(py_spy_, pid, native_timeout);
  if (!stacks.threads.empty() || stacks.hung) return stacks;
  if (!debugger_.empty()) return debugger_stacks(debugger_, pid, native_timeout);
  if (stacks.remark.empty()) stacks.remark = "no py-spy, eu-stack or gdb on PATH";
  return stacks;
}

// The debuggers would wait for processes in state D or T.
Stacks NodeDump::stacks_of(Looked& looked, char state) {
  if (state == 'Z' || state == 'X') return {};
  if (order_.native && state != 'D' && state != 'T') return native_stacks_of(looked);
  if (!looked.python) return {.remark = "not a Python program; --native shows C and C++ frames"};
  return python_->of(static_cast<pid_t>(looked.look.pid), state,
                     looked.recorder ? &*looked.recorder : nullptr, looked.stacks_asked);
}

void NodeDump::take_stack(Looked& looked, Sample ProcessLook::*which) {
  auto& look = looked.look;
  const bool again = which == &ProcessLook::second;
  if (again && (look.first.threads.empty() || !looked.top)) return;
  // A tool that pauses the process runs only once.
  if (again && order_.native) {
    look.second.threads = look.first.threads;
    return;
  }
  auto stacks = stacks_of(looked, (look.*which).state);
  (look.*which).threads = std::move(stacks.threads);
  if (again) return;
  look.tool = std::move(stacks.tool);
  look.remark = std::move(stacks.remark);
}

void NodeDump::take_stacks(Sample ProcessLook::*which) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (auto index = next++; index < processes_.size(); index = next++) {
      take_stack(processes_[index], which);
    }
  };
  std::vector<std::jthread> workers;
  for (std::size_t i = 1; i < std::min(tools_at_once, processes_.size()); ++i) {
    workers.emplace_back(work);
  }
  work();
}

void NodeDump::look() {
  const auto begin = Clock::now();
  ask_recorders();
  take_states(&ProcessLook::first);
  take_stacks(&ProcessLook::first);
  say_where_no_way_is_left();
  await_recorders(begin + order_.apart);
  const std::jthread ras([this, address = ras_address()] {
    if (!address.empty()) ras_ = ask_ras(address, ras_timeout);
  });
  if (!processes_.empty()) std::this_thread::sleep_until(begin + order_.apart);
  ask_recorders();
  take_states(&ProcessLook::second);
  take_stacks(&ProcessLook::second);
  await_recorders(Clock::now() + recorder_timeout);
}

void NodeDump::emit(const std::function<void(const Message&)>& emit) const {
  for (const auto& each : remarks_) emit(each);
  if (!ras_.remark.empty()) emit(NodeRemark{order_.node, ras_.remark});
  for (const auto& line : ras_.lines) emit(RasLine{order_.node, line});
  for (const auto& looked : processes_) emit(looked.look);
  emit(NodeDone{order_.node});
}

}  // namespace

void dump_node(const NodeOrder& order, const Environment& environment,
               const std::function<void(const Message&)>& emit) {
  NodeDump dump(order, environment);
  dump.look();
  dump.emit(emit);
}

}  // namespace muster::dump
