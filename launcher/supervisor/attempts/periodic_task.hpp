// Work that is done while srun runs, by the thread that waits for srun.
#pragma once

#include "launcher/slurm/srun.hpp"

#include <chrono>
#include <functional>
#include <optional>

namespace muster::attempts {

struct PeriodicTask {
  // When act() is due; no value if nothing is due. Called after each event of srun's.
  std::function<std::optional<std::chrono::steady_clock::time_point>()> next = [] {
    return std::nullopt;
  };
  // May be called before it is due, and then does nothing.
  std::function<void()> act = [] {};
};

// Both tasks as one.
PeriodicTask combine(PeriodicTask one, PeriodicTask other);

// The hooks of a running srun that also do `task`, which must outlive them.
slurm::SrunHooks with_task(slurm::SrunHooks hooks, const PeriodicTask& task);

}  // namespace muster::attempts
