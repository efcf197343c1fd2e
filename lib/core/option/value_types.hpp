// The types of the option's values. Their words are in value_words.hpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::option {

enum class Bind : std::uint8_t { auto_, none, core, l3, numa, socket, exclusive };

enum class Memory : std::uint8_t { local, strict, none };

enum class Gpus : std::uint8_t { shared, own };

enum class Ranks : std::uint8_t { slurm, contiguous };

// Which process serves torch's store at the rendezvous port.
enum class Store : std::uint8_t { rank0, agent };

// An elastic size: at least `min` nodes, and at most `max` nodes or all available ones.
struct NodeRange {
  std::uint32_t min;
  std::optional<std::uint32_t> max;

  friend bool operator==(const NodeRange&, const NodeRange&) = default;
};

// How many groups of nodes restart alone: `max` at the start, and at least `min` to continue.
struct GroupRange {
  std::uint32_t min;
  std::uint32_t max;

  friend bool operator==(const GroupRange&, const GroupRange&) = default;
};

// Exit codes by which a rank asks not to be restarted. Ascending, each once.
struct ExitCodes {
  std::vector<std::uint32_t> codes{93};  // as in NVIDIA's ft_launcher

  friend bool operator==(const ExitCodes&, const ExitCodes&) = default;
};

// Which of a rank's two output streams.
enum class Streams : std::uint8_t { both, out, err };

// The ranks whose output the live view shows.
struct View {
  enum class Show : std::uint8_t { first, all, none, ranks };
  struct Rank {
    std::uint32_t rank = 0;
    Streams streams = Streams::both;

    friend bool operator==(const Rank&, const Rank&) = default;
  };
  Show show = Show::first;
  std::vector<Rank> ranks = {};     // only for Show::ranks
  Streams streams = Streams::both;  // only for Show::all

  friend bool operator==(const View&, const View&) = default;
};

// What precedes each line of the live view.
enum class Prefix : std::uint8_t { auto_, rank, node, none };

// Where the metrics go: a file, or a port on which Prometheus reads them.
struct Metrics {
  std::string file = {};              // as the user wrote it; empty: a port
  std::string address = "127.0.0.1";  // numeric
  std::uint16_t port = 0;

  friend bool operator==(const Metrics&, const Metrics&) = default;
};

// How long a step may make no progress, and whether it is then restarted.
struct Hang {
  std::chrono::seconds limit;
  bool restart = false;

  friend bool operator==(const Hang&, const Hang&) = default;
};

// From which part of the time on, in percent, a rank is named that holds all others up, and whether its
// node is then avoided by the next attempt. `on` is the default.
struct Slow {
  std::uint32_t percent = 2;
  bool replace = false;

  friend bool operator==(const Slow&, const Slow&) = default;
};

// How long before the job's time limit the ranks are stopped.
struct Stop {
  std::chrono::seconds before;

  friend bool operator==(const Stop&, const Stop&) = default;
};

// How long a node may be silent before it counts as lost. It sends beats more often: watch/lease.hpp.
struct Heartbeat {
  std::chrono::seconds limit;

  friend bool operator==(const Heartbeat&, const Heartbeat&) = default;
};

inline constexpr Heartbeat default_heartbeat{std::chrono::seconds(10)};
// If no other attempt can start, a quick end gains nothing, and the node may return.
inline constexpr std::chrono::seconds heartbeat_without_restarts{90};

// How long the health command may run on a node.
struct HealthTimeout {
  std::chrono::seconds limit;

  friend bool operator==(const HealthTimeout&, const HealthTimeout&) = default;
};

// How long the checks of the nodes before the first attempt may take; `on` is the default.
struct Preflight {
  std::chrono::seconds limit{10};

  friend bool operator==(const Preflight&, const Preflight&) = default;
};

// Which exit code srun returns after a failure: that of the first failed rank, or Slurm's choice.
enum class Exit : std::uint8_t { first, slurm };

}  // namespace muster::option
