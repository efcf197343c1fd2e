// The size of the step that srun's command line asks for inside an allocation, and the same command line for
// other nodes. Pure.
#pragma once

#include "core/environment.hpp"
#include "core/srun/command.hpp"
#include "core/srun/node_share.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::srun {

// What the user specified about the step's nodes, on the command line or through srun's variables, as srun
// reads them inside an allocation. The only variable about nodes gives the number of nodes in the allocation.
struct StepSize {
  std::optional<std::uint32_t> nodes = {};           // -N, the minimum
  std::optional<std::uint32_t> tasks = {};           // -n
  std::optional<std::uint32_t> tasks_per_node = {};  // --ntasks-per-node
  bool chose_nodes = false;  // -w, -x, -F, -r: the nodes themselves are chosen
  bool arbitrary = false;    // -m arbitrary: no other nodes are possible

  friend bool operator==(const StepSize&, const StepSize&) = default;
};

StepSize step_size(const Command& command, const Environment& environment);

// Whether the command line itself says how many nodes or tasks the step has, or on which nodes it runs.
// Otherwise the step has the size of its job.
bool has_own_size(const Command& command);

// Whether the command line itself asks for exactly that many nodes, and says how many tasks the step has.
bool determines_size(const Command& command, std::uint32_t nodes);

struct StepNodes {
  std::vector<std::string> names;
  std::uint32_t tasks_per_node = 1;
  // An earlier step may still hold these nodes, because Slurm cannot end it on a node that is gone.
  bool beside_old_step = false;
  // The step gets only a part of each node. It then waits until an earlier step has let go of its part.
  std::optional<NodeShare> share = {};
  // Other steps of the job may hold the ports of MpiParams=ports=. A step manager (enable_stepmgr) has few of
  // them for all of the job's steps, and lets a step wait until it gets its own. This one does without.
  bool without_ports = false;
};

// The command for exactly these nodes, with the same number of tasks on each node (and of GPUs, if --gpus is
// used). All other words of the user are kept, and the program's words are not touched. Slurm numbers the
// tasks in its own order of nodes, whatever the order of the list. `environment` is the one that srun will
// have.
Command on_nodes(const Command& command, const Environment& environment, const StepNodes& nodes);

}  // namespace muster::srun
