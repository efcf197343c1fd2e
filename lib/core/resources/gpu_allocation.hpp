// The GPUs that Slurm gave a step on one node, read from what slurmstepd tells.
#pragma once

#include "core/environment.hpp"
#include "core/topology/topology.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::resources {

// How Slurm hides the step's GPUs from single tasks (--gpus-per-task, --gpu-bind, --tres-bind).
// With ConstrainDevices the others are not only hidden, they cannot be opened.
struct GpuConfinement {
  enum class Kind : std::uint8_t {
    none,      // every task sees all of the step's
    per_task,  // `count` each, in order
    single,    // one each, chosen by Slurm
    map,       // a list, by local task id
    unknown,   // closest, mask: only the task itself can tell
  };
  Kind kind = Kind::none;
  std::size_t count = 0;                  // of per_task
  std::vector<std::size_t> of_task = {};  // of map: positions in the step's list

  friend bool operator==(const GpuConfinement&, const GpuConfinement&) = default;
};

// A step's TresBind: "gpu:per_task:1", "gres/gpu:single:2+...", "gpu:map:0,1", "gpu:none".
GpuConfinement parse_gpu_confinement(std::string_view tres_bind);

struct GpuGrant {
  std::vector<std::string> ids;      // SLURM_STEP_GPUS: how the node counts them
  std::vector<std::string> visible;  // how the step sees them: indexes or UUIDs, in the same order
  // The variables of the vendors' runtimes that Slurm set in this step.
  std::vector<std::string> variables;
  GpuConfinement confinement;

  [[nodiscard]] bool empty() const { return visible.empty(); }
  friend bool operator==(const GpuGrant&, const GpuGrant&) = default;
};

// Those variables of an environment that say which GPUs there are.
Environment gpu_variables(const Environment& environment);

// From a job's environment as slurmstepd has it before any task starts.
GpuGrant gpu_grant(const Environment& environment, std::string_view tres_bind);

// All of the node's GPUs, for a step to which Slurm gave none, in the order of their indexes; or
// those that the user's own list names. Empty where several vendors count.
GpuGrant grant_of_all(const topology::Topology& topology, const Environment& environment);

}  // namespace muster::resources
