// What all agents of a step have reported so far.
#pragma once

#include "core/report/record.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::watch {

struct Observations {
  std::string step;  // "42.0"; empty before the first hello
  std::uint32_t ranks = 0;
  std::vector<report::NodeRecord> nodes;  // indexed by node
  std::vector<report::RankEnd> ends;      // in the order of arrival
  std::vector<std::uint32_t> node_of;     // for each entry of `ends`: its node
};

}  // namespace muster::watch
