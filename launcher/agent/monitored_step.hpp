// What the agent must know about a step in order to watch its tasks.
#pragma once

#include "core/environment.hpp"
#include "core/option/value_types.hpp"
#include "core/rendezvous/endpoint.hpp"
#include "core/report/failures.hpp"
#include "core/report/record.hpp"
#include "core/restart/lost_host.hpp"
#include "launcher/agent/slurm_command.hpp"
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
  std::chrono::milliseconds heartbeat = option::default_heartbeat.limit;
  bool fences =
      false;  // another attempt could start, so the ranks must not run without the supervisor
  std::chrono::milliseconds grace{30000};  // when the agent ends its ranks on its own
  // For a rank that has written its exception: the report allows it the same time to exit.
  std::chrono::milliseconds exit_timeout = report::teardown_time;
  SlurmOwners owners = {};       // whose scancel may be started
  bool ends_on_failure = true;   // unless srun has --kill-on-bad-exit=0
  bool looks_for_hangs = false;  // hang= is used, so the agent reads the ranks' recorders
  bool looks_for_slow = false;   // slow= is used, so the agent asks the recorders for times
  bool inspects = false;         // inspect=on: the user is told if NCCL has no Inspector
  restart::LostHostRules lost_host = {};
};

// The start of this agent, by this node's clock.
struct StartTimes {
  std::chrono::steady_clock::time_point begun;  // when it learned of the step
  std::chrono::steady_clock::time_point came;   // when it joined the agents' rendezvous
  std::chrono::steady_clock::time_point met;    // when all agents had met
};

struct MonitoredStep {
  std::string step;    // "42.0", as the ranks' environment has it
  std::string cancel;  // the same step for scancel: names this component of a heterogeneous step
  std::string node;
  bool is_alone = true;                   // there are no other nodes
  std::uint32_t ranks = 0;                // number of ranks in the whole step
  std::uint32_t gpus = 0;                 // that this node has for the step
  rendezvous::Port port = 0;              // where the ranks meet
  std::vector<report::RankPlace> places;  // by local task ID
  std::vector<std::vector<std::string>> gpu_addresses =
      {};                                                // likewise: PCI, of the task's own GPUs
  std::vector<std::filesystem::path> error_files;        // likewise; empty path: none
  std::vector<std::filesystem::path> stderr_files = {};  // likewise; empty without logs=
  channel::Client supervisor;                            // has no address if there is no supervisor
  std::vector<view::LogFile> logs = {};                  // for the live view; empty without logs=
  MonitorRules rules = {};
  Environment environment = {};                         // the job's
  std::vector<std::string> temporary_directories = {};  // where killed agents may have left files
  std::optional<StartTimes> start = {};
};

MonitoredStep monitored_step(const StepContext& context, const PlannedNode& node);

}  // namespace muster::agent
