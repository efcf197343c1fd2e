// Decides on which nodes of the allocation the next attempt runs. Pure.
#pragma once

#include "core/restart/attempt_history.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::restart {

enum class Fitness : std::uint8_t {
  fit,
  doubtful,  // used only if there are too few fit nodes for the wanted size: drained by Slurm, for example
  suspect,  // used only to reach the smallest allowed size: it was the first to fail twice, for example
  unfit,  // never used: no longer in the job, down, silent, or with a process that cannot be killed
};

// A node of the allocation.
struct Candidate {
  std::string name;
  Fitness fitness = Fitness::fit;
  std::string why;        // if it is not fit: "silent for 10.2 s", "drained by Slurm: bad GPU"
  std::string leaf = {};  // its leaf switch or its block; empty if Slurm does not report it

  friend bool operator==(const Candidate&, const Candidate&) = default;
};

struct Size {
  std::uint32_t wanted = 0;  // number of nodes in the first attempt
  std::uint32_t min = 0;     // nodes=MIN; wanted if it is not given
  std::uint32_t max = 0;     // nodes=MIN:MA|, or wanted; more nodes than wanted are never used

  friend bool operator==(const Size&, const Size&) = default;
};

struct Choice {
  std::vector<std::string> nodes;   // the attempt's nodes, in the order of their ranks
  std::vector<Candidate> left_out;  // nodes of the previous attempt, with the reason
  std::vector<std::string> added;   // spares, and nodes that came back; empty for the first attempt

  friend bool operator==(const Choice&, const Choice&) = default;
};

// Chooses as many nodes as `size.wanted` allows; no value if fewer than `size.min` are left. Nodes that stay
// keep their places, and newcomers take the places of those that leave. Among equally fit newcomers, those
// under the leaf switch of a node that leaves come first. `previous` is empty for the first attempt: then the
// allocation's order counts.
std::optional<Choice> choose_nodes(std::span<const Candidate> allocation,
                                   std::span<const std::string> previous, const Size& size);

// The nodes that are kept ready while `nodes` run, in the order in which they would replace a lost one.
std::vector<std::string> in_reserve(std::span<const Candidate> allocation,
                                    std::span<const std::string> nodes);

// A node that is used only as a last resort.
struct Suspect {
  std::string node;
  std::string why;

  friend bool operator==(const Suspect&, const Suspect&) = default;
};

// Nodes that failed first in two attempts, the second within ten minutes of the first, because a single
// failure does not prove that the node is to blame; and nodes that were the only ones on which the program
// could not start. An hour later they get another chance.
std::vector<Suspect> suspects(std::span<const AttemptHistory> past, Time now);

}  // namespace muster::restart
