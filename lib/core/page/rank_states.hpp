// What became of each rank of an attempt.
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
  failed,      // at the same time, likewise, or later
  killed,      // by a signal from elsewhere
  lost,        // on a node that was lost, or without its agent
  stuck,       // SIGKILL did not end it
  left_early,  // with exit code 0, before the others failed
  lost_peer,   // failed because another rank had gone
  ended_by_muster,
  well,
  running,  // nobody has said that it ended
  unknown,
};

// For the style sheet, for a chip's mark, and for people.
std::string_view class_of(RankState state);
std::string_view mark_of(RankState state);
std::string_view words_for(RankState state);

struct RankOfNode {
  std::uint32_t rank = 0;
  RankState state = RankState::unknown;
  const plan::TaskPlan* task = nullptr;  // none: there is no plan
};

struct NodeOfRanks {
  std::string node;
  std::vector<RankOfNode> ranks;               // in their order
  const report::NodeRecord* record = nullptr;  // none: there is no report
};

// Of the run's newest attempt, as far as the plan, the report or the files tell; pointers into the run.
std::vector<NodeOfRanks> ranks_by_node(const Run& run);

// How many there are of each.
std::map<RankState, std::size_t> counts_of(const std::vector<NodeOfRanks>& nodes);

}  // namespace muster::page
