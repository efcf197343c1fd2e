// hang=: a thread that samples the step. When nothing has moved for too long, it creates a dump and reports
// which ranks are holding up the others. If it cannot take samples, it reports no hang.
#pragma once

#include "core/hang/judge.hpp"
#include "core/hang/sample.hpp"
#include "core/option/value_types.hpp"
#include "core/text/message.hpp"
#include "launcher/os/background_child.hpp"
#include "launcher/os/descriptor.hpp"
#include "launcher/tools/dump/dump_step.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>

namespace muster::hang {

struct Finding {
  std::chrono::steady_clock::time_point since;
  // Which ranks are probably holding up the others, or why there is no dump.
  std::string found = {};
  std::string node = {};   // the first of those ranks' node; empty if unknown
  std::string place = {};  // the directory of the dump's files; empty if there are none
};

// What the thread queries and reports; only that thread calls these functions.
struct WatchdogHooks {
  std::function<Sample()> look;  // may wait for the nodes' answers
  std::function<dump::RunningStep()> step;
  std::function<void(text::Severity, const std::string&)> say;
  std::function<void(const Finding&)> found;  // each hang that was reported
  std::function<void()> moved;                // the last of them is over
  std::function<void(const Finding&)> end;    // with +restart
  // For so long something must move before the hang is over: what ranks write while they are stopped is not
  // progress.
  std::chrono::milliseconds time_to_be_over{60'000};
};

class Watchdog {
 public:
  Watchdog(const option::Hang& rule, WatchdogHooks hooks);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();  // ends the thread, and a dump in progress

  // Call it after all forks.
  void start();

 private:
  void run();
  [[nodiscard]] bool is_stopped(std::chrono::milliseconds within) const;
  void act(Judge& judge);
  void note(State state);
  [[nodiscard]] bool still_hangs(Judge& judge) const;
  [[nodiscard]] Finding find(std::chrono::nanoseconds silence);
  void describe(Finding& finding);
  std::string write(const dump::Dump& dump, const std::string& place);

  const option::Hang rule_;
  const std::chrono::nanoseconds interval_;
  const WatchdogHooks hooks_;
  os::Descriptor stops_;
  std::string rendezvous_;  // who was missing there in the last sample
  bool reported_ = false;   // a hang that is not over
  std::optional<std::chrono::steady_clock::time_point> moving_since_;
  std::optional<os::BackgroundChild> writer_;  // writes the last dump's files
  std::thread thread_;
};

}  // namespace muster::hang
