// What `muster status` shows about a running step: plain data. The types that agents send have their
// fields() functions next to them (core/record/record.hpp). launcher/agent/node_counts.cpp collects a new
// number; text.cpp and json.cpp show it.
#pragma once

#include "core/at_store.hpp"
#include "core/record/limits.hpp"
#include "core/slow/named.hpp"
#include "core/status/run.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::status {

// The range of a node's counters and output, small enough that the sum over all nodes does not overflow.
inline constexpr record::Range<std::int64_t> counts_up{0, std::int64_t{1} << 56};
inline constexpr record::Clamp<std::int64_t> output_bytes{0, std::int64_t{1} << 46};
inline constexpr record::Clamp any_time{std::chrono::milliseconds(0), record::max_time};

// Bytes in and out since some time in the past.
struct Traffic {
  std::int64_t in = 0;
  std::int64_t out = 0;

  friend bool operator==(const Traffic&, const Traffic&) = default;
};
template <class Io>
void fields(Io& io, Traffic& traffic) {
  io(traffic.in, counts_up)(traffic.out, counts_up);
}

// The newest output of a node's or a step's ranks. Known only if each rank has its own files.
struct LastOutput {
  std::uint32_t rank = 0;
  std::chrono::milliseconds age{0};
  std::int64_t bytes = 0;  // how many bytes all ranks have written

  friend bool operator==(const LastOutput&, const LastOutput&) = default;
};
template <class Io>
void fields(Io& io, LastOutput& output) {
  io(output.rank)(output.age, any_time)(output.bytes, output_bytes);
}

// The flight recorders of a node's ranks, as far as they have answered.
struct Collectives {
  std::int64_t recorders = 0;  // processes that answered
  std::int64_t inside = 0;     // of those, how many are in a collective that has not ended
  std::int64_t progress = 0;   // the sum of all their counters, so that any of them changes it

  friend bool operator==(const Collectives&, const Collectives&) = default;
};
template <class Io>
void fields(Io& io, Collectives& collectives) {
  io(collectives.recorders, counts_up)(collectives.inside, counts_up);
  io(collectives.progress, counts_up);
}

// Signs that a node's ranks make progress although they move few bytes.
struct Signs {
  std::int64_t output = 0;   // bytes in the files that are their standard output and error
  std::int64_t storage = 0;  // bytes from and to storage, mapped files included
  // When the youngest process below them was started, in clock ticks.
  std::int64_t newest_process = 0;
  std::int64_t compilers_ms = 0;                // CPU time of the compilers among those processes
  std::optional<Collectives> collectives = {};  // only with hang=
  bool suspended = false;  // something has suspended all of them; only with hang=

  friend bool operator==(const Signs&, const Signs&) = default;
};
template <class Io>
void fields(Io& io, Signs& signs) {
  io(signs.output, counts_up)(signs.storage, counts_up);
  io(signs.newest_process, counts_up)(signs.compilers_ms, counts_up)(signs.collectives);
  io(signs.suspended);
}

// What an agent counts on its node when asked.
struct Counts {
  std::chrono::milliseconds time{0};  // the node's monotonic clock
  std::optional<Traffic> network;     // the node's, without its loopback interface
  std::optional<Traffic> rdma;        // the node's; no value without RDMA devices
  std::optional<Traffic> files;       // what the ranks and their children have read and written
  std::optional<LastOutput> output;
  std::optional<Signs> signs = {};
  std::optional<AtStore> store = {};

  friend bool operator==(const Counts&, const Counts&) = default;
};
template <class Io>
void fields(Io& io, Counts& counts) {
  io(counts.time, any_time)(counts.network)(counts.rdma)(counts.files)(counts.output)(counts.signs);
  io(counts.store);
}

// The counts as rates, in bytes per second.
struct Rates {
  std::optional<Traffic> network;
  std::optional<Traffic> rdma;
  std::optional<Traffic> files;

  friend bool operator==(const Rates&, const Rates&) = default;
};

struct Node {
  std::string name;
  std::string state;  // "starting", "running", "done", "no agent" or "lost"
  std::uint32_t ranks = 0;
  std::uint32_t ranks_up = 0;
  std::optional<std::chrono::milliseconds> silence;  // since its agent was last heard from
  std::optional<Counts> counts;
  std::optional<Rates> rates;

  friend bool operator==(const Node&, const Node&) = default;
};

struct Step {
  std::string name;  // "42.0"; "42" until a node has reported the step
  std::string host;  // where its supervisor runs
  std::uint32_t attempt = 0;
  std::uint32_t restarts_left = 0;
  std::chrono::milliseconds age{0};  // of this attempt
  bool ending = false;               // its ranks have been told to stop
  bool logs = false;                 // logs= is used
  std::uint32_t ranks = 0;
  std::uint32_t ranks_up = 0;
  std::vector<Node> nodes;
  std::vector<slow::Named> slow = {};  // who holds all others up at present
  std::optional<Run> run = {};         // no value from a supervisor of an earlier release

  friend bool operator==(const Step&, const Step&) = default;
};

// The newest output on any node.
std::optional<LastOutput> last_output(const Step& step);

// Sets the rates of the nodes for which both steps have counts.
void add_rates(Step& now, const Step& before);

// "42" and "42.0" mean the step 42.0; an empty name means every step.
bool is_meant(const Step& step, const std::string& name);

}  // namespace muster::status
