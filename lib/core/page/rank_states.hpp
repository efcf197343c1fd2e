// The final state of each rank of an attempt.
#pragma once

#include "core/page/run.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::page {

enum class RankState : std::uint8_t {
  first,       // failed first
  failed,      // failed at the same time or later
  killed,      // killed by a signal from elsewhere
  lost,        // its node or agent was lost
  stuck,       // SIGKILL did not end it
  left_early,  // exited with code 0 before the others failed
  lost_peer,   // failed because another rank was gone
  ended_by_muster,
  well,
  running,  // nothing reports that it ended
  unknown,
};

// For the style sheet, for the symbol on a chip, and for people.
std::string_view class_of(RankState state);
std::string_view mark_of(RankState state);
std::string_view words_for(RankState state);

struct RankOfNode {
  std::uint32_t rank = 0;
  RankState state = RankState::unknown;
  const plan::TaskPlan* task = nullptr;  // nullptr if there is no plan
};

struct NodeOfRanks {
  std::string node;
  std::vector<RankOfNode> ranks;               // in order of rank
  const report::NodeRecord* record = nullptr;  // nullptr if there is no report
};

// The ranks of the newest attempt, as far as the plan, the report or the files know them; holds pointers into
// the run.
std::vector<NodeOfRanks> ranks_by_node(const Run& run);

// How many ranks are in each state.
std::map<RankState, std::size_t> counts_of(const std::vector<NodeOfRanks>& nodes);

}  // namespace muster::page
