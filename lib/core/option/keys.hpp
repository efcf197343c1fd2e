// The keys of --distributed, one entry each. This table is their only definition: the parser, the help, the
// completion, the request and its JSON, MUSTER_<KEY> and the configuration files all read it.
//
// To add a key, add its field to Values (values.hpp) and its entry here, with what it needs (need.hpp). The
// tests then fail until docs/reference and config/muster.yaml have a line for it. A field of a new type
// also needs its table of words in value_types.hpp, or a ValueKind in value_kinds.hpp.
#pragma once

#include "core/option/key.hpp"
#include "core/option/need.hpp"
#include "core/option/values.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>

namespace muster::option {

inline constexpr std::string_view v0_1 = "0.1";
inline constexpr std::string_view v0_3 = "0.3";

template <class Value>
struct Entry {
  std::string_view name;
  Value Values::*field;
  Need needs;
  std::string_view meaning;
  std::string_view since;      // the release, or not_yet until the feature is built
  std::string_view form = {};  // for free text: the text that help shows after '='
  std::string_view none = {};  // the word for no value, or for an empty list
};

template <class Value>
Entry(std::string_view, Value Values::*, Need, std::string_view, std::string_view,
      std::string_view = {}, std::string_view = {}) -> Entry<Value>;

// In the order in which the help shows them, under the headings of key_groups.
inline constexpr std::tuple entries{
    Entry{"bind", &Values::bind, Need::node, "which CPU cores each rank gets", v0_1},
    Entry{"memory", &Values::memory, Need::node,
          "local: prefer the memory near a rank's cores; strict: allow no other; "
          "none: keep Slurm's setting",
          v0_1},
    Entry{"smt", &Values::smt, Need::node, "off: use one hardware thread per core", v0_1},
    Entry{"gpus", &Values::gpus, Need::node,
          "shared: a rank sees all GPUs of the step, with its own at index LOCAL_RANK; "
          "own: only its own GPUs",
          v0_1},
    Entry{"ranks", &Values::ranks, Need::nothing,
          "slurm: RANK is SLURM_PROCID; contiguous: the ranks of a node are consecutive", v0_1},
    Entry{"network", &Values::network, Need::node,
          "interface (a name or a glob) for MASTER_ADDR, Gloo and NCCL sockets", v0_1,
          "NAME[+NAME]", "auto"},
    Entry{"port", &Values::port, Need::nothing,
          "rendezvous port, or a range from which muster chooses one", v0_1, "N|A-B", "auto"},
    Entry{"store", &Values::store, Need::agent,
          "which process serves torch's store at MASTER_PORT; agent: muster's agent, before any "
          "rank starts",
          v0_3},
    Entry{"restarts", &Values::restarts, Need::supervisor,
          "restart after a failure, at most N times", v0_1, "N"},
    Entry{"norestart", &Values::norestart, Need::supervisor,
          "exit codes after which muster does not restart", v0_1, "CODE[+CODE]", "none"},
    Entry{"nodes", &Values::nodes, Need::slurm,
          "restart on the remaining nodes: at least MIN, at most MAX", v0_1, "MIN[:MAX]", "all"},
    Entry{"spares", &Values::spares, Need::slurm, "nodes held in reserve to replace lost ones",
          v0_1, "N"},
    Entry{
        "groups", &Values::groups, Need::slurm,
        "divide the nodes into N groups that restart independently; with MIN:MAX, continue with as "
        "few as MIN",
        v0_3, "N|MIN:MAX", "off"},
    Entry{"drain", &Values::drain, Need::slurm,
          "move off nodes that an administrator drains: the ranks get SIGTERM and continue on "
          "other nodes",
          v0_3},
    Entry{"progress", &Values::progress, Need::supervisor,
          "file that the program updates as it progresses; "
          "muster gives up after three attempts without a change",
          v0_1, "FILE", "off"},
    Entry{"health", &Values::health, Need::slurm,
          "command run on each node before a restart; exit code 0 means healthy", v0_1, "COMMAND",
          "off"},
    Entry{"health-timeout", &Values::health_timeout, Need::slurm,
          "time limit for health= on each node", v0_1, "TIME"},
    Entry{"preflight", &Values::preflight, Need::slurm,
          "test nodes and network before each attempt, for at most this long", v0_1, "on|TIME",
          "off"},
    Entry{"heartbeat", &Values::heartbeat, Need::agent,
          "a node that is silent for about this long counts as lost; if unset, 10s, or "
          "90s if no other attempt could start",
          v0_1, "TIME"},
    Entry{"hang", &Values::hang, Need::supervisor,
          "dump all ranks' stacks after this long without progress; with +restart, also restart",
          v0_1, "TIME[+restart]", "off"},
    Entry{"slow", &Values::slow, Need::supervisor,
          "name the rank or node that makes all others wait for this percentage of the time; with "
          "+replace, also prefer other nodes at the next restart",
          v0_3, "on|PERCENT[+replace]", "off"},
    Entry{"grace", &Values::grace, Need::agent,
          "time between SIGTERM and SIGKILL; auto: Slurm's KillWait", v0_1, "TIME", "auto"},
    Entry{"stop", &Values::stop, Need::slurm,
          "stop the ranks this long before the job's time limit", v0_1, "TIME", "off"},
    Entry{"requeue", &Values::requeue, Need::slurm,
          "requeue the batch job when it cannot continue in this allocation, at most N times", v0_1,
          "N"},
    Entry{"succession", &Values::succession, Need::slurm,
          "if the batch node dies, another node takes over supervision", v0_1},
    Entry{"exit", &Values::exit, Need::agent,
          "exit code after a failure; first: that of the rank that failed first; slurm: srun's own",
          v0_1},
    Entry{"logs", &Values::logs, Need::agent,
          "directory for one output file per rank, stream and attempt", v0_1, "DIR", "off"},
    Entry{"view", &Values::view, Need::agent,
          "ranks whose output the terminal shows with logs=; "
          "add :out or :err to a rank to show only that stream",
          v0_1, "RANK[+RANK]|first|all|none"},
    Entry{"prefix", &Values::prefix, Need::agent,
          "prefix of each line that view= shows; auto: the rank, if view= shows several ranks",
          v0_1},
    Entry{"report", &Values::report, Need::agent, "write the failure report to this file, as JSON",
          v0_1, "FILE", "off"},
    Entry{"metrics", &Values::metrics, Need::supervisor,
          "write metrics for Prometheus to this file, or serve them at this port", v0_3,
          "FILE|[ADDRESS]:PORT", "off"},
    Entry{"inspect", &Values::inspect, Need::nothing,
          "record the speed of each collective with the Inspector of NCCL or RCCL", v0_3},
    Entry{"python", &Values::python, Need::agent,
          "off: do not load the start hook, "
          "which reports exceptions and stacks of unmodified Python programs",
          v0_3},
    Entry{"explain", &Values::explain, Need::nothing, "print the plan and the origin of each value",
          v0_1},
    Entry{"dry-run", &Values::dry_run, Need::nothing, "print the plan and start nothing", v0_1},
    Entry{"verbose", &Values::verbose, Need::nothing,
          "report what muster does, and when another tool changes a rank's binding", v0_1},
    Entry{"supervise", &Values::supervise, Need::nothing,
          "off: no supervisor, so no failure report and no restarts", v0_1},
};

// The position of a key in the table; the table's size if there is no such key.
constexpr std::size_t index_of(std::string_view name) {
  const auto index = [name](const auto&... entry) {
    std::size_t passed = 0;
    static_cast<void>(((entry.name == name || (++passed, false)) || ...));
    return passed;
  };
  return std::apply(index, entries);
}

// Key("port") compiles only if the table has that key.
consteval Key::Key(std::string_view name) : index_(index_of(name)) {
  if (index_ == std::tuple_size_v<decltype(entries)>) throw "no key has this name";
}

// The headings of the help, each with the first key below it.
struct KeyGroup {
  std::string_view heading;
  Key first;
};

inline constexpr std::array key_groups{
    KeyGroup{"placement", Key("bind")}, KeyGroup{"rendezvous", Key("network")},
    KeyGroup{"recovery", Key("restarts")}, KeyGroup{"output", Key("logs")},
    KeyGroup{"debugging", Key("python")}};

}  // namespace muster::option
