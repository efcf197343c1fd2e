// The work that attempts did in vain: what the next attempts did once more. Pure.
#pragma once

#include "core/cost/attempt.hpp"

#include <span>
#include <vector>

namespace muster::cost {

// Parts of the time in which all ranks of an attempt ran.
struct Loss {
  // Until the program's first step: imports, data, the first communicator. Without lost_work, only until
  // torch's process group stood.
  std::optional<Time> startup = {};
  // Work that a later attempt did again.
  std::optional<Time> lost_work = {};

  friend bool operator==(const Loss&, const Loss&) = default;
};

// One for each attempt. If the program shows no progress at all, only the time until its process groups is
// known, if that. Where an attempt began cannot be known then: the flight recorder counts collectives from
// the start of each process.
//
// If the marks have steps, an attempt began one usual increment before its first step, and what earlier
// attempts did beyond that is lost. If not, each mark is a checkpoint from which the next attempt continues.
// What the last attempt did is never lost: nobody has done it again.
std::vector<Loss> losses(std::span<const Attempt> attempts);

}  // namespace muster::cost
