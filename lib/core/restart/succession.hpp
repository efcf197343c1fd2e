// succession=on: a second process of the user, the successor, waits on another node of the batch job, and
// becomes the supervisor when the first one's node has died. This decides which of the two may act. Pure.
//
// The supervisor sends beats, a third of the heartbeat apart, and the successor answers each. If the
// supervisor's node is cut off, it hears no answers and kills its ranks by itself. The successor does not
// take over before that.
#pragma once

#include "core/restart/lost_host.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::restart {

// The first supervisor is generation 0, its successor 1. The step in which a successor waits is named after
// its generation.
using Generation = std::uint32_t;

std::string successor_name(Generation generation);

// No value for a step with any other name.
std::optional<Generation> successor_generation(std::string_view name);

constexpr std::chrono::milliseconds beat_interval(std::chrono::milliseconds heartbeat) {
  return heartbeat / 3;
}

// A supervisor that has received no answer for this long kills its ranks immediately, unless slurmctld
// confirms that no successor has taken over.
constexpr std::chrono::milliseconds lease_time(std::chrono::milliseconds heartbeat) {
  return heartbeat + heartbeat / 5;
}

// After this long without a beat, a successor may take over. The last beat arrives up to one interval before
// a cut, and the last answer right before it.
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
  std::string host = {};        // the supervisor's node; empty if it is not one of the job's nodes
  std::uint32_t allocated = 0;  // nodes of the job; 0 if unknown
  std::string step_manager = {};  // as slurm::Job::step_manager
  std::chrono::seconds heartbeat{0};
};

// Why succession=on does nothing; empty if it does.
std::string succession_obstacle(const SuccessionFacts& facts);

// The nodes that a successor could wait on.
struct SuccessorPlaces {
  std::vector<std::string> spares = {};  // the attempt's
  std::vector<std::string> nodes = {};   // the attempt's; empty if srun's own options choose them
  std::vector<std::string> job_nodes = {};  // nodes of the job that can be used; empty if unknown
};

// A spare, which has nothing else to do, or otherwise the last node, because rank 0's is the first. Empty if
// there is no node other than `host`.
std::string node_for_successor(const SuccessorPlaces& places, const std::string& host);

enum class Right : std::uint8_t {
  holds,    // this process supervises the job
  unknown,  // slurmctld has lost contact with this host: a successor may take over
  lost,  // a successor has taken over, or the job has ended: this process must say and do nothing more
};

// For a supervisor whose successor is silent. `now`: the job, and what slurmctld says about this host.
Right right_to_supervise(Generation own, const HostlessJob& now);

}  // namespace muster::restart
