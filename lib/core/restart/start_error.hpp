// Start-up errors: how a rank ends if its program cannot start. Pure.
#pragma once

#include "core/report/record.hpp"

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

namespace muster::restart {

// A failure within this time of the first rank's start counts as a failure of the program's start.
inline constexpr std::chrono::seconds program_start_time{10};

// How strongly the way a rank ended suggests that the program cannot start.
enum class StartSign : std::uint8_t {
  none,
  if_shared,  // an exit code that also has other meanings, so another rank must end with it as well
  alone,      // the rank's own end is enough
};
StartSign start_sign(const report::RankEnd& end);

// Whether `end` shows the same error as `first`.
bool same_error(const report::RankEnd& first, const report::RankEnd& end);

// What identifies a start-up error in another attempt: "ImportError: no x", "exit code 127".
std::string start_error(const report::RankEnd& end);

// How long the ranks of the other nodes have to show the same error before muster stops them: no time for any
// other failure, or if there is no other node. `nodes`: all nodes of the step.
std::chrono::milliseconds time_for_second_node(const report::RankEnd& end,
                                               std::span<const report::NodeRecord> nodes);

}  // namespace muster::restart
