// The layout: Slurm's decision on which node each task of a step runs.
#pragma once

#include "core/layout/ids.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::layout {

// One srun's share of a heterogeneous step. slurmstepd knows only the share's own nodes and tasks,
// counted from 0. Slurm never gives a node to two components of one job or step.
struct Component {
  std::uint32_t job_id = 0;
  NodeIndex first_node = 0;
  ProcId first_task = 0;

  friend bool operator==(const Component&, const Component&) = default;
};

struct Layout {
  std::vector<std::string> nodes;
  std::vector<NodeIndex> node_of_task;  // by ProcId
  std::string first_address;            // NodeAddr of the node of task 0; may be a name, or empty
  std::vector<Component> components = {};  // two or more; empty for an ordinary step
  std::string first_features = {};         // of the node of task 0, separated by commas
  std::string tres_bind = {};              // for the whole step: how Slurm divides GPUs among tasks

  friend bool operator==(const Layout&, const Layout&) = default;
};

// Parses the line that the shim in srun sent (wire/layout_line.hpp).
Layout layout_from_text(std::string_view text);

// Deals tasks to nodes as Slurm does: `size` tasks to each node in turn, while it has room. This is a plane
// distribution; cyclic is a plane of one task, and block is a plane of all tasks.
std::vector<NodeIndex> distribute(std::vector<std::uint32_t> tasks_of_node, std::uint32_t size);

// The tasks of a node in ascending order; a task's position is its SLURM_LOCALID.
std::vector<ProcId> tasks_on(const Layout& layout, NodeIndex node);

// Numbers the nodes by their lowest task: node_ranks(l)[node]. Nodes without tasks come last.
std::vector<std::uint32_t> node_ranks(const Layout& layout);

// The number of nodes that have tasks.
std::uint32_t node_count(const Layout& layout);

// Whether the tasks of every node have consecutive numbers, which frameworks take for granted.
bool is_contiguous(const Layout& layout);

// The new numbers for ranks=contiguous: by node rank, then by task number.
std::vector<std::uint32_t> contiguous_ranks(const Layout& layout);

}  // namespace muster::layout
