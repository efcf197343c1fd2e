// Work that is done while srun runs, by the thread that waits for srun.
#pragma once

#include "launcher/slurm/srun.hpp"

#include <chrono>
#include <functional>
#include <optional>

namespace muster::attempts {

struct PeriodicTask {
  // When act() is due; no value if nothing is due. Called after each of srun's events.
  std::function<std::optional<std::chrono::steady_clock::time_point>()> next = [] {
    return std::nullopt;
  };
  // May be called before it is due, and does nothing in that case.
  std::function<void()> act = [] {};
};

// Combines two tasks into one.
PeriodicTask combine(PeriodicTask one, PeriodicTask other);

// The hooks of a running srun that also run `task`, which must outlive them.
slurm::SrunHooks with_task(slurm::SrunHooks hooks, const PeriodicTask& task);

}  // namespace muster::attempts
