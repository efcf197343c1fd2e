// What all attempts of a step's run have cost so far: plain data, a part of the step's status.
#pragma once

#include "core/cost/account.hpp"
#include "core/group_number.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace muster::status {

struct Run {
  // What distinguishes this run from others. Empty if unknown.
  std::string cluster = {};
  std::string user = {};
  std::string job = {};                   // "42"
  std::string step = {};                  // that of the first attempt: "0"
  std::optional<GroupNumber> group = {};  // with groups=

  std::uint32_t attempts = 0;                          // that have begun, also before a requeue
  std::map<std::string, std::uint32_t> restarts = {};  // by the cause of the attempt before
  cost::Account time = {};                             // until now
  std::uint32_t gpus = 0;                              // that the ranks' nodes have for the step
  bool hung = false;                                   // nothing moves: hang= has said so
  std::optional<double> progress = {};  // the number in the file of progress=, if it has one
  std::optional<std::uint32_t> slow_ranks = {};  // no value: without slow=

  friend bool operator==(const Run&, const Run&) = default;
};

}  // namespace muster::status
