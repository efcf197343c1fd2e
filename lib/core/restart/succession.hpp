// succession=on: a second process of the user, the successor, waits on another node of the batch job, and
// becomes the supervisor when the first one's node has died. This decides which of the two may act. Pure.
//
// The supervisor sends beats, a third of the heartbeat apart, and the successor answers each. If the
// supervisor's node is cut off, it hears no answers and kills its ranks by itself. The successor does not
// begin before that.
#pragma once

#include "core/restart/lost_host.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::restart {

// The first supervisor has 0, its successor 1. A successor waits in a step that is named after its
// generation.
using Generation = std::uint32_t;

std::string successor_name(Generation generation);

// No value for a step with another name.
std::optional<Generation> successor_generation(std::string_view name);

constexpr std::chrono::milliseconds beat_interval(std::chrono::milliseconds heartbeat) {
  return heartbeat / 3;
}

// A supervisor that has had no answer for this long kills its ranks at once, unless slurmctld confirms that
// no successor has begun.
constexpr std::chrono::milliseconds lease_time(std::chrono::milliseconds heartbeat) {
  return heartbeat + heartbeat / 5;
}

// After this long without a beat a successor may begin. The last beat comes up to one interval before a cut,
// and the last answer right before it.
constexpr std::chrono::milliseconds takeover_time(std::chrono::milliseconds heartbeat) {
  constexpr std::chrono::milliseconds for_the_last_process_to_go{500};
  return lease_time(heartbeat) + beat_interval(heartbeat) + for_the_last_process_to_go;
}

// The agents of a lost supervisor wait about half a minute for a successor. With a longer heartbeat it would
// come too late.
inline constexpr std::chrono::seconds max_heartbeat_with_successor{30};

// What succession=on needs.
struct SuccessionFacts {
  std::uint32_t restarts = 0;
  std::string host = {};        // the supervisor's node; empty if that is none of the job's
  std::uint32_t allocated = 0;  // nodes of the job; 0 if nobody knows
  std::chrono::seconds heartbeat{0};
};

// Why succession=on does nothing; empty if it does.
std::string succession_obstacle(const SuccessionFacts& facts);

// The nodes that a successor could wait on.
struct SuccessorPlaces {
  std::vector<std::string> spares = {};  // of the attempt
  std::vector<std::string> nodes = {};   // of the attempt; empty if srun's own options choose them
  std::vector<std::string> job_nodes = {};  // that can be used; empty if nobody knows
};

// A spare, which has nothing else to do, or otherwise the last node: rank 0's is the first. Empty if there is
// none beside `host`.
std::string node_for_successor(const SuccessorPlaces& places, const std::string& host);

enum class Right : std::uint8_t {
  holds,    // this process supervises the job
  unknown,  // slurmctld has lost this host: a successor may begin
  lost,  // a successor has begun, or the job has ended: this process must say and do nothing more
};

// For a supervisor whose successor is silent. `now`: the job, and what slurmctld says about this host.
Right right_to_supervise(Generation own, const HostlessJob& now);

}  // namespace muster::restart
