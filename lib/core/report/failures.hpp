// Which rank failed first, and which others failed because of that.
#pragma once

#include "core/report/failed_rank.hpp"
#include "core/report/record.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::report {

enum class VictimKind : std::uint8_t {
  ended_by_muster,
  lost_peer,      // they say that another rank is gone
  same_failure,   // the same failure as the first, but later
  killed,         // by a signal from elsewhere, usually Slurm's
  later_failure,  // anything else
};
std::string_view to_string(VictimKind kind);

struct Victims {
  VictimKind kind = VictimKind::ended_by_muster;
  std::vector<std::uint32_t> ranks;  // ascending

  friend bool operator==(const Victims&, const Victims&) = default;
};

struct Failures {
  std::optional<FailedRank> first;
  std::vector<FailedRank> others;  // within the clocks' error of the first failure
  std::vector<Victims> victims;    // at most one entry for each kind
  std::vector<FailedRank> left_early;
  bool certain = true;  // whether it certainly was the first
  std::vector<FailedRank>
      suspects;  // if not certain: the ranks that may be first, the likeliest one first
};

Failures find_failures(const Record& record);

// Likewise if no rank failed first, for example after the loss of a node.
Failures only_victims(const Record& record);

}  // namespace muster::report
