// What torchrun's flags mean for muster: its own keys, the ranks' variables, and what to start. Pure.
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

// What this machine, or the node of the allocation, has.
struct Machine {
  std::uint32_t cpus = 1;  // CPUs that this process may use
  std::uint32_t gpus = 0;

  friend bool operator==(const Machine&, const Machine&) = default;
};

// Whether --nproc-per-node depends on the number of GPUs.
bool asks_for_gpus(const Words& words);

// --nproc-per-node. Throws Error.
std::uint32_t ranks_per_node(const Words& words, const Machine& machine);

// The program with its arguments; a script is preceded by Python. `python` is used if PYTHON_EXEC is not
// set.
std::vector<std::string> command_of(const Words& words, const Environment& environment,
                                    const std::string& python);

struct Run {
  std::string option =
      {};  // for --distributed, without a profile: "restarts=3,logs=out"; may be empty
  std::vector<std::pair<std::string, std::string>> variables = {};  // for the ranks, on one machine
  std::vector<int> ending_signals = {};
  bool wants_directory = false;  // the output goes to files, but --log-dir does not say where

  friend bool operator==(const Run&, const Run&) = default;
};

// Throws Error for anything that muster does not support; the message says what to use instead.
Run run_of(const Words& words, std::uint32_t ranks);

// Whether this machine alone satisfies the request: 1:MAX, with no other machine as the rendezvous.
bool one_is_enough(const Words& words, const Nodes& nodes);

// One line that says which command starts this on several nodes when there is no allocation.
std::string several_nodes_text(const Words& words, const Nodes& nodes);

// The srun that replaces this process inside an allocation.
struct Srun {
  Nodes nodes = {};
  std::uint32_t ranks_per_node = 1;
  std::uint32_t cpus_per_rank = 0;  // 0: srun decides
  std::string profile = "torch";
  std::string option = {};  // the other keys; may be empty
  // Without the plugin, srun starts this program, and it starts each rank (`muster exec`). Empty: srun has
  // the plugin.
  std::string muster = {};
};
std::vector<std::string> srun_of(const Srun& srun, const std::vector<std::string>& command);

}  // namespace muster::torchrun
