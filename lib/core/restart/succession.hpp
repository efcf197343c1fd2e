// succession=on: a second process of the user's waits on another node of the batch job, and becomes the
// supervisor when the first one's node has died. Which of the two may act. Pure.
//
// The supervisor sends beats, a third of the heartbeat apart, and the successor answers each. A node that
// is cut off hears no answers, and gives its ranks up by itself; the successor does not begin before that.
#pragma once

#include "core/restart/lost_host.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::restart {

// Of the first supervisor 0, of its successor 1. A successor waits in a step that is named after the
// generation it would be.
using Generation = std::uint32_t;

std::string successor_name(Generation generation);

// Nothing for a step with another name.
std::optional<Generation> successor_generation(std::string_view name);

constexpr std::chrono::milliseconds beat_interval(std::chrono::milliseconds heartbeat) {
  return heartbeat / 3;
}

// A supervisor that has had no answer for so long, and that slurmctld does not call the only one, ends
// its ranks at once.
constexpr std::chrono::milliseconds lease_time(std::chrono::milliseconds heartbeat) {
  return heartbeat + heartbeat / 5;
}

// After so long without a beat a successor may begin: the last beat before a cut comes up to an interval
// before it, the last answer with it.
constexpr std::chrono::milliseconds takeover_time(std::chrono::milliseconds heartbeat) {
  constexpr std::chrono::milliseconds for_the_last_process_to_go{500};
  return lease_time(heartbeat) + beat_interval(heartbeat) + for_the_last_process_to_go;
}

// The agents of a lost supervisor give a successor about half a minute. With a longer heartbeat it would come
// too late for them.
inline constexpr std::chrono::seconds max_heartbeat_with_successor{30};

enum class Right : std::uint8_t {
  holds,    // go on
  unknown,  // slurmctld has lost this host: somebody else may begin
  lost,     // somebody else has begun, or the job has ended: say and do nothing more
};

// Of a supervisor whose successor is silent. `now`: the job, and what slurmctld says of this host.
Right right_to_supervise(Generation own, const HostlessJob& now);

}  // namespace muster::restart
