// The layout: which task of a step runs on which node, as Slurm decided it.
#pragma once

#include "core/environment.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::layout {

// Slurm's task number in the step (SLURM_PROCID), and a node's place in the step's host list.
using ProcId = std::uint32_t;
using NodeIndex = std::uint32_t;

// One srun's share of a heterogeneous step: slurmstepd knows its nodes and tasks from 0 on only.
// Slurm never gives a node to two components of one job or step.
struct Component {
  std::uint32_t job_id = 0;
  NodeIndex first_node = 0;
  ProcId first_task = 0;

  friend bool operator==(const Component&, const Component&) = default;
};

struct Layout {
  std::vector<std::string> nodes;
  std::vector<NodeIndex> node_of_task;     // by ProcId
  std::string first_address;               // NodeAddr of the node of task 0; may be a name or empty
  std::vector<Component> components = {};  // two or more; empty for an ordinary step
  std::string first_features = {};         // of the node of task 0, separated by commas
  std::string tres_bind = {};              // the step's: how Slurm shares GPUs among tasks

  friend bool operator==(const Layout&, const Layout&) = default;
};

// From the line that srun's shim sent along (wire/layout_text.hpp).
Layout layout_from_text(std::string_view text);

// From Slurm's own variables, where no line came: block, cyclic, plane, or the hosts of an
// arbitrary distribution where Slurm names them; whichever puts `local_tasks` (SLURM_GTIDS) on
// `here`. Error when none does.
Layout layout_from_variables(const Environment& environment, NodeIndex here,
                             const std::vector<ProcId>& local_tasks);

// Deals tasks to nodes as Slurm does, `size` to each in turn as long as it has room: a plane;
// cyclic is a plane of one task, and block a plane of all.
std::vector<NodeIndex> distribute(std::vector<std::uint32_t> tasks_of_node, std::uint32_t size);

// The tasks of a node, ascending: position is SLURM_LOCALID.
std::vector<ProcId> tasks_on(const Layout& layout, NodeIndex node);

// Nodes numbered by their lowest task: node_ranks(l)[node]. Nodes without tasks come last.
std::vector<std::uint32_t> node_ranks(const Layout& layout);

// Nodes that have tasks.
std::uint32_t node_count(const Layout& layout);

// True when every node's tasks are consecutive numbers, which frameworks take for granted.
bool is_contiguous(const Layout& layout);

// New numbers for ranks=contiguous: by node rank, then by task number.
std::vector<std::uint32_t> contiguous_ranks(const Layout& layout);

}  // namespace muster::layout
