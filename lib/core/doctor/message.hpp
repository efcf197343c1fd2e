// How a node's facts come to the submit host: as lines of a step's output, which Slurm mixes with those
// of other nodes but does not cut:
//
//   muster-doctor NODE NAME=VALUE
//   muster-doctor NODE done
#pragma once

#include "core/doctor/facts.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace muster::doctor {

inline constexpr std::size_t max_nodes = 65536;

std::string to_lines(const std::string& node, const Facts& facts);

struct Answers {
  std::map<std::string, Facts> nodes;  // those that have said everything
  std::string other_line;              // the first that is not muster's: Slurm's own, probably
};

// What is damaged is left out.
Answers read_answers(std::string_view output);

}  // namespace muster::doctor
