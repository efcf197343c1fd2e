// The GPUs that Slurm gave a step on one node, read from slurmstepd's variables.
#pragma once

#include "core/environment.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::topology {
enum class GpuVendor : std::uint8_t;
struct Topology;
}  // namespace muster::topology

namespace muster::resources {

// How Slurm hides some of the step's GPUs from a task (--gpus-per-task, --gpu-bind, --tres-bind).
// With ConstrainDevices a task cannot even open the hidden ones.
struct GpuConfinement {
  enum class Kind : std::uint8_t {
    none,      // every task sees all GPUs of the step
    per_task,  // `count` each, in the order of the tasks: --gpus-per-task before Slurm 23.11
    by_cpus,   // chosen by Slurm to suit the CPUs that it gave the task: closest, single, per_task
    map,       // a list, by local task ID
    unknown,   // only the task itself knows
  };
  Kind kind = Kind::none;
  std::size_t count = 0;  // GPUs of each task, for per_task and by_cpus; 0: unknown
  // For map: the numbers that the user gave each task. Further tasks begin again with the first entry.
  std::vector<std::vector<std::size_t>> of_task = {};

  friend bool operator==(const GpuConfinement&, const GpuConfinement&) = default;
};

// Parses a step's TresBind: "gpu:per_task:1", "gres/gpu:single:2+...", "gpu:map:0,1", "gpu:none". Slurm
// writes "gres/" since 23.11, the release in which per_task began to consider the tasks' CPUs.
GpuConfinement parse_gpu_confinement(std::string_view tres_bind);

// Whether the names are 0, 1, 2 and so on, as in a control group that hides the node's other GPUs.
bool counts_from_zero(const std::vector<std::string>& names);

struct GpuGrant {
  std::vector<std::string> ids;      // SLURM_STEP_GPUS: the node's numbers
  std::vector<std::string> visible;  // the step's names: indexes or UUIDs, in the same order
  // The variables of the vendors' runtimes that Slurm set for this step.
  std::vector<std::string> variables;
  GpuConfinement confinement;

  [[nodiscard]] bool empty() const { return visible.empty(); }
  friend bool operator==(const GpuGrant&, const GpuGrant&) = default;
};

// The variables of an environment that select GPUs.
Environment gpu_variables(const Environment& environment);

// The vendor of the node's GPUs. No value if the node has no GPUs, or GPUs of several vendors.
std::optional<topology::GpuVendor> only_vendor(const topology::Topology& topology);

// Reads the job's environment that slurmstepd has before any task starts. Slurm does not set every vendor's
// variable, so one may hold a list that the user exported; `vendor`, if known, says which one to prefer.
GpuGrant gpu_grant(const Environment& environment, std::string_view tres_bind,
                   std::optional<topology::GpuVendor> vendor = {});

// For a step to which Slurm gave no GPU: all GPUs of the node in order of their indexes, or those in the
// user's own list. Empty if the node has GPUs of several vendors.
GpuGrant grant_of_all(const topology::Topology& topology, const Environment& environment);

}  // namespace muster::resources
