// What the agent must know of a step to stay with its tasks.
#pragma once

#include "core/environment.hpp"
#include "core/file/trusted_file.hpp"
#include "core/report/failures.hpp"
#include "core/report/record.hpp"
#include "core/restart/lost_host.hpp"
#include "launcher/channel/client.hpp"
#include "launcher/channel/view/tail.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace muster::agent {

struct PlannedNode;
struct StepContext;

struct MonitorRules {
  std::chrono::milliseconds heartbeat{10000};
  bool fences =
      false;  // another attempt could start: without the supervisor the ranks must not run
  std::chrono::milliseconds grace{30000};  // where the agent ends its ranks by itself
  // For a rank that has written its exception: as long as the report waits for one.
  std::chrono::milliseconds exit_timeout = report::teardown_time;
  file::Trust trust;             // whose scancel may be started
  bool ends_on_failure = true;   // unless srun has --kill-on-bad-exit=0
  bool looks_for_hangs = false;  // hang=: the ranks' recorders are asked
  restart::LostHostRules lost_host = {};
};

// Of this agent, on this node's clock.
struct StartTimes {
  std::chrono::steady_clock::time_point begun;  // it had heard of the step
  std::chrono::steady_clock::time_point came;   // to the rendezvous of the agents
  std::chrono::steady_clock::time_point met;    // all had met
};

struct MonitoredStep {
  std::string step;    // "42.0", as the ranks' environment has it
  std::string cancel;  // the same for scancel: of this component of a heterogeneous step
  std::string node;
  bool is_alone = true;                                  // no other node
  std::uint32_t ranks = 0;                               // of the whole step
  std::vector<report::RankPlace> places;                 // by local task ID
  std::vector<std::filesystem::path> error_files;        // likewise; empty: none
  std::vector<std::filesystem::path> stderr_files = {};  // likewise; none without logs=
  channel::Client supervisor;                            // without an address: none
  std::vector<view::LogFile> logs = {};                  // for the live view; none without logs=
  MonitorRules rules = {};
  Environment environment = {};  // the job's
  std::optional<StartTimes> start = {};
};

MonitoredStep monitored_step(const StepContext& context, const PlannedNode& node);

}  // namespace muster::agent
