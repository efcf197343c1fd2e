// What a run has cost so far, for `muster status` and the metrics. Pure.
#pragma once

#include "core/cost/attempt.hpp"
#include "core/status/run.hpp"
#include "launcher/channel/watch/observations.hpp"

#include <optional>
#include <span>

namespace muster::restart {
struct AttemptHistory;
}

namespace muster::attempts {

// The attempt that is running.
struct RunningCost {
  cost::Time launched{0};
  cost::Time now{0};
  bool after_requeue = false;
  std::optional<cost::Time> hung_since = {};
  cost::Progress progress = {};
  cost::Time held_up{0};  // by slow ranks, so far
};

// `run`: its names. What is empty is set from the step, as soon as that is known. `past`: every attempt that
// has ended. `running` and `seen`: no value and nothing if none is running.
status::Run run_of(status::Run run, std::span<const restart::AttemptHistory> past,
                   const std::optional<RunningCost>& running, const watch::Observations& seen);

}  // namespace muster::attempts
