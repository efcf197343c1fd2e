// The step's layout as one short line of text, carried from srun to every node.
//
// srun's shim asks Slurm which task runs on which node. No other source is right for every
// distribution: SLURM_STEP_NODELIST does not give the order. The shim then writes
//
//     1|NODES|MAPPING|ADDRESS
//
// NODES is Slurm's compressed host list. ADDRESS is the NodeAddr of the node of task 0, followed by its
// features and the step's TresBind if there are any, each after a space ("10.0.0.1 ib,big gpu:per_task:1").
// MAPPING is a list of runs of consecutive ranks: `S+NxC` stands for nodes S..S+N-1 with C ranks each, in
// turn; `*R` repeats them. Block on 16384 nodes of 8: `0+16384x8`; cyclic: `0+16384x1*8`.
//
// A heterogeneous step's line lists the nodes and ranks of all its components, one component after
// the other, and marks where each one ends:
//
//     2|NODES|MAPPING|ADDRESS|JOB:NODES:TASKS,JOB:NODES:TASKS
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::wire {

inline constexpr std::size_t max_tasks = std::size_t{1} << 22;

// node_of_rank[r] is the index of rank r's node in the host list.
std::string encode_mapping(const std::vector<std::uint32_t>& node_of_rank);

// No value if the text is malformed or describes more than max_tasks ranks.
std::optional<std::vector<std::uint32_t>> decode_mapping(std::string_view text);

inline constexpr std::size_t max_components = 1024;

struct ComponentText {
  std::uint32_t job_id = 0;
  std::uint32_t nodes = 0;
  std::uint32_t tasks = 0;

  friend bool operator==(const ComponentText&, const ComponentText&) = default;
};

struct StepLayoutText {
  std::string nodes;
  std::string mapping;
  std::string address;
  std::vector<ComponentText> components = {};  // empty for an ordinary step
  std::string features = {};                   // that node's, separated by commas
  std::string tres_bind = {};                  // how Slurm shares GPUs among tasks
};

std::string encode(const StepLayoutText& layout);
std::optional<StepLayoutText> decode_step_layout(std::string_view text);

}  // namespace muster::wire
