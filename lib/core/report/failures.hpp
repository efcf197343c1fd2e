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
  lost_peer,      // they say that another rank has gone
  same_failure,   // as the first one, and later
  killed,         // by a signal from elsewhere, mostly Slurm's
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
  std::vector<FailedRank> others;  // within the clocks' error of the first
  std::vector<Victims> victims;    // at most one entry for each kind
  std::vector<FailedRank> left_early;
  bool certain = true;               // that it was the first
  std::vector<FailedRank> suspects;  // only if not: those that may be, the likeliest first
};

Failures find_failures(const Record& record);

// The same where nothing of what the ranks did was first, such as after the loss of a node.
Failures only_victims(const Record& record);

}  // namespace muster::report
