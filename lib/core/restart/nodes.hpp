// On which nodes of the allocation the next attempt runs. Pure.
#pragma once

#include "core/restart/past.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::restart {

enum class Fitness : std::uint8_t {
  fit,
  doubtful,  // used where there are too few fit ones for the wanted size: drained by Slurm
  suspect,  // used only where there are too few others for the smallest size: twice the first to fail
  unfit,    // never: gone from the job, down, silent, or with a process that cannot be ended
};

// A node of the allocation.
struct Candidate {
  std::string name;
  Fitness fitness = Fitness::fit;
  std::string why;        // where it is not fit: "silent for 10.2 s", "drained by Slurm: bad GPU"
  std::string leaf = {};  // its leaf switch, or its block; empty where Slurm does not say

  friend bool operator==(const Candidate&, const Candidate&) = default;
};

struct Size {
  std::uint32_t wanted = 0;  // nodes of the first attempt
  std::uint32_t min = 0;     // nodes=MIN; wanted where it is not given
  std::uint32_t max = 0;     // nodes=MIN:MAX, or wanted; more than wanted are never used

  friend bool operator==(const Size&, const Size&) = default;
};

struct Choice {
  std::vector<std::string> nodes;   // in the order of their ranks
  std::vector<Candidate> left_out;  // of the attempt before, with why
  std::vector<std::string> added;   // spares, and nodes that came back; empty for the first attempt

  friend bool operator==(const Choice&, const Choice&) = default;
};

// Who stays keeps its place; who comes takes the place of one that goes. Of equally fit newcomers those
// come first that are under the leaf switch of one that goes. As many as `size.wanted` allows; nothing
// where fewer than `size.min` are left. `previous` is empty for the first attempt: then the
// allocation's order counts.
std::optional<Choice> choose_nodes(std::span<const Candidate> allocation,
                                   std::span<const std::string> previous, const Size& size);

// The nodes that are kept ready while those of `nodes` run, in the order in which they would take a lost
// one's place.
std::vector<std::string> in_reserve(std::span<const Candidate> allocation,
                                    std::span<const std::string> nodes);

// Nodes that failed first in two attempts, the second within ten minutes of the first; an hour after
// that they get another chance. Of one attempt's failure nobody knows whether it was the node's.
std::vector<std::string> suspects(std::span<const Past> past, Time now);

}  // namespace muster::restart
