#include "launcher/tools/dump/python_stacks.hpp"

#include "core/error.hpp"
#include "core/text/list.hpp"
#include "launcher/agent/ranks/process_state.hpp"
#include "launcher/tools/dump/asked_stacks.hpp"

#include <thread>
#include <vector>

#include <fmt/format.h>

namespace muster::dump {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds answer_interval{2};
constexpr milliseconds repeat_interval{100};
constexpr milliseconds calm_timeout{100};

// The answer, or empty with the reason why there is none yet. One that cannot be read may be half written.
Stacks answer_of(const ranks::RecorderDoor& door) {
  try {
    auto threads = door.stacks();
    if (threads && !threads->empty()) return {.threads = std::move(*threads), .tool = "muster"};
  } catch (const Error& error) {
    return {.remark = error.what()};
  }
  return {.remark = fmt::format("its Python did not answer within {} ms: C code may hold the GIL",
                                package_timeout.count())};
}

Stacks package_stacks(ranks::RecorderDoor& door, PythonStacks::Clock::time_point asked) {
  const auto deadline = asked + package_timeout;
  auto repeat = PythonStacks::Clock::now() + repeat_interval;
  while (true) {
    auto stacks = answer_of(door);
    const auto now = PythonStacks::Clock::now();
    if (!stacks.threads.empty() || now >= deadline) return stacks;
    if (now >= repeat) {
      door.ask_stacks(true);
      repeat = now + repeat_interval;
    }
    std::this_thread::sleep_for(answer_interval);
  }
}

// The state of a main thread that computes now, once it is in a system call, if that is soon.
char calm_state(pid_t pid) {
  const auto deadline = PythonStacks::Clock::now() + calm_timeout;
  while (true) {
    const auto state = ranks::process_state("/proc", pid).state;
    if (state != 'R' || PythonStacks::Clock::now() >= deadline) return state;
    std::this_thread::sleep_for(answer_interval);
  }
}

}  // namespace

Stacks PythonStacks::of(pid_t pid, char state, ranks::RecorderDoor* door, Clock::time_point asked) {
  const bool others = door != nullptr || !py_spy_.empty();
  if (state == 'R' && signal_ == SignalUse::careful && !others) state = calm_state(pid);
  std::vector<std::string> reasons;
  for (const auto way : ways_to_stacks({.state = state,
                        .answers = door != nullptr,
                        .py_spy = !py_spy_.empty(),
                        .signal = signal_})) {
    auto stacks = by(way, pid, door, asked);
    if (!stacks.threads.empty()) {
      stacks.remark = line_of(text::join(reasons, "; "), max_remark_bytes);
      return stacks;
    }
    if (!stacks.remark.empty()) reasons.push_back(std::move(stacks.remark));
  }
  if (reasons.empty() && state == 'R')
    reasons.emplace_back("it is computing, and a signal might end it; --signal sends one anyway");
  return {.remark = line_of(text::join(reasons, "; "), max_remark_bytes)};
}

Stacks PythonStacks::by(Way way, pid_t pid, ranks::RecorderDoor* door, Clock::time_point asked) {
  if (way == Way::package) return package_stacks(*door, asked);
  if (way == Way::py_spy) return by_py_spy(pid);
  return asked_stacks(pid, tool_timeout_);
}

Stacks PythonStacks::by_py_spy(pid_t pid) {
  if (py_spy_hung_) return {.remark = "py-spy hung earlier"};
  auto stacks = py_spy_stacks(py_spy_, pid, tool_timeout_);
  if (stacks.hung) py_spy_hung_ = true;
  return stacks;
}

}  // namespace muster::dump
