// Runs the command of health= on one node: the user's or the site's own program, with the user's permissions.
#pragma once

#include "core/restart/node_check.hpp"

#include <chrono>
#include <string>

namespace muster::health {

struct HealthResult {
  restart::Health health = restart::Health::unclear;
  std::string why;  // one line, including the first line that it printed; empty: healthy

  friend bool operator==(const HealthResult&, const HealthResult&) = default;
};

// Looked up on PATH if it has no slash. Waits for the program itself, not for processes that it leaves
// behind. At the time limit it is killed with its process group; a process that even SIGKILL does not end is
// left behind.
HealthResult run_health_command(const std::string& command, std::chrono::milliseconds limit);

}  // namespace muster::health
