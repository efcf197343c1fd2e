// The keys of --distributed, one entry each. This table is their only definition: the parser, the
// help, the request and its JSON, MUSTER_<KEY> and the configuration files all read it.
//
// To add a key, add its field to Values (values.hpp) and its entry here. Tests then require its
// line in docs/configuration.md and in config/muster.yaml. A field of a new type also needs its
// table of words in value_types.hpp, or a ValueKind in value_kinds.hpp.
#pragma once

#include "core/option/key.hpp"
#include "core/option/values.hpp"

#include <cstddef>
#include <string_view>
#include <tuple>

namespace muster::option {

inline constexpr std::string_view v0_1 = "0.1";

// The `since` of a key whose feature is not built yet. Using the key is an error.
inline constexpr std::string_view not_yet{};

template <class Value>
struct Entry {
  std::string_view name;
  Value Values::*field;
  std::string_view meaning;
  std::string_view since;      // the release, or not_yet until the feature is built
  std::string_view form = {};  // for free text: what help shows after '='
  std::string_view none = {};  // the word for no value, or for an empty list
};

template <class Value>
Entry(std::string_view, Value Values::*, std::string_view, std::string_view, std::string_view = {},
      std::string_view = {}) -> Entry<Value>;

// In the order in which help shows them.
inline constexpr std::tuple entries{
    Entry{"bind", &Values::bind, "CPU and memory binding policy", v0_1},
    Entry{"memory", &Values::memory,
          "memory near a task's CPUs is preferred, or the only one, or Slurm's choice stays", v0_1},
    Entry{"smt", &Values::smt, "off: one hardware thread of each core", v0_1},
    Entry{"gpus", &Values::gpus,
          "every rank sees all GPUs of the step, its near one at index LOCAL_RANK; or only its own",
          v0_1},
    Entry{"ranks", &Values::ranks,
          "RANK is SLURM_PROCID, or renumbered so that a node's ranks are consecutive", v0_1},
    Entry{"network", &Values::network, "interface (glob) for MASTER_ADDR, Gloo and NCCL sockets",
          v0_1, "NAME[+NAME]", "auto"},
    Entry{"port", &Values::port, "rendezvous port", v0_1, "N|A-B", "auto"},
    Entry{"restarts", &Values::restarts, "start again after a failure, at most N times", v0_1, "N"},
    Entry{"norestart", &Values::norestart, "exit codes after which the job is not started again",
          v0_1, "CODE[+CODE]", "none"},
    Entry{"progress", &Values::progress,
          "a file that the program writes as it gets on; three attempts without a change of it end "
          "the job",
          v0_1, "FILE", "off"},
    Entry{
        "nodes", &Values::nodes,
        "start again with the nodes that are left, if these are at least MIN; never more than MAX",
        v0_1, "MIN[:MAX]", "all"},
    Entry{"spares", &Values::spares, "nodes kept idle, to take the place of lost ones", v0_1, "N"},
    Entry{"health", &Values::health,
          "a program that says by exit code 0 that a node is healthy, before a further attempt",
          v0_1, "COMMAND", "off"},
    Entry{"health-timeout", &Values::health_timeout, "how long that may take on a node", v0_1,
          "SECONDS"},
    Entry{"preflight", &Values::preflight,
          "check the nodes and the network between them before an attempt, for so long at most",
          v0_1, "on|SECONDS", "off"},
    Entry{"requeue", &Values::requeue,
          "put the batch job back into the queue where it cannot go on here, at most N times", v0_1,
          "N"},
    Entry{"succession", &Values::succession,
          "another node takes the supervision over when the one of the batch script dies", v0_1},
    Entry{"stop", &Values::stop, "end the ranks so long before the job's time limit", v0_1,
          "MINUTES", "off"},
    Entry{"logs", &Values::logs, "one file per rank, stream and attempt", v0_1, "DIR", "off"},
    Entry{"view", &Values::view,
          "ranks whose output the live view shows; RANK:err, all:out: one stream", v0_1,
          "RANK[+RANK]|first|all|none"},
    Entry{"prefix", &Values::prefix,
          "what the live view writes before each line; auto: the rank where it shows several",
          v0_1},
    Entry{"heartbeat", &Values::heartbeat, "a node that is silent for so long is lost", v0_1,
          "SECONDS"},
    Entry{"grace", &Values::grace, "time between SIGTERM and SIGKILL; auto is Slurm's KillWait",
          v0_1, "SECONDS", "auto"},
    Entry{"report", &Values::report, "the failure report as JSON", v0_1, "FILE", "off"},
    Entry{"exit", &Values::exit, "exit code after a failure: the first failed rank's, or srun's",
          v0_1},
    Entry{
        "hang", &Values::hang,
        "say what all ranks do when nothing of the step moves for so long (90s: seconds); and start "
        "again",
        v0_1, "MINUTES[+restart]", "off"},
    Entry{"explain", &Values::explain, "print the plan and the origin of each value", v0_1},
    Entry{"dry-run", &Values::dry_run, "print the plan and stop there", v0_1},
    Entry{"supervise", &Values::supervise, "off: plain srun, no report, no restart", v0_1},
    Entry{"verbose", &Values::verbose, "say what is done, and when a task is bound again", v0_1},
};

// The position of a key in the table; the table's size where the key does not exist.
constexpr std::size_t index_of(std::string_view name) {
  const auto index = [name](const auto&... entry) {
    std::size_t passed = 0;
    static_cast<void>(((entry.name == name || (++passed, false)) || ...));
    return passed;
  };
  return std::apply(index, entries);
}

// Key("port") compiles only where the table has the key.
consteval Key::Key(std::string_view name) : index_(index_of(name)) {
  if (index_ == std::tuple_size_v<decltype(entries)>) throw "no key has this name";
}

}  // namespace muster::option
