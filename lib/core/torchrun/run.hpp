// What torchrun's words mean for muster: its own keys, the variables of the ranks, and who is to be
// started. Pure.
#pragma once

#include "core/torchrun/words.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace muster::torchrun {

struct Nodes {
  std::uint32_t min = 1;
  std::uint32_t max = 1;

  friend bool operator==(const Nodes&, const Nodes&) = default;
};

// --nnodes. Throws Error.
Nodes nodes_of(const Words& words);

// What this machine, or the allocation's node, has.
struct Machine {
  std::uint32_t cpus = 1;  // that this process may use
  std::uint32_t gpus = 0;

  friend bool operator==(const Machine&, const Machine&) = default;
};

// --nproc-per-node needs to know how many GPUs there are.
bool asks_for_gpus(const Words& words);

// --nproc-per-node. Throws Error.
std::uint32_t ranks_per_node(const Words& words, const Machine& machine);

// The program with its arguments: Python in front of a script. `python`: where PYTHON_EXEC names none.
std::vector<std::string> command_of(const Words& words, const Environment& environment,
                                    const std::string& python);

struct Run {
  std::string option =
      {};  // for --distributed, without a profile: "restarts=3,logs=out"; may be empty
  std::vector<std::pair<std::string, std::string>> variables = {};  // of the ranks, on one machine
  std::vector<int> ending_signals = {};
  bool wants_directory = false;  // the output goes to files, and --log-dir names no place for them

  friend bool operator==(const Run&, const Run&) = default;
};

// Refuses what muster does not do, with what does it instead. Throws Error.
Run run_of(const Words& words, std::uint32_t ranks);

// Whether this machine alone is what was asked for: 1:MAX, and no other machine is the meeting place.
bool one_is_enough(const Words& words, const Nodes& nodes);

// Which command starts this on several nodes, where there is no allocation: one line.
std::string several_nodes_text(const Words& words, const Nodes& nodes);

// The srun in this process's place, inside an allocation.
struct Srun {
  Nodes nodes = {};
  std::uint32_t ranks_per_node = 1;
  std::uint32_t cpus_per_rank = 0;  // 0: as srun decides
  std::string profile = "torch";
  std::string option = {};  // the other keys; may be empty
};
std::vector<std::string> srun_of(const Srun& srun, const std::vector<std::string>& command);

}  // namespace muster::torchrun
