// How a node's facts come to the submit host: each is an answer "NAME=VALUE" as core/slurm/node_answers.hpp
// describes it, and "done" is the last. Pure.
#pragma once

#include "core/doctor/facts.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace muster::doctor {

std::string to_lines(const std::string& node, const Facts& facts);

struct Answers {
  std::map<std::string, Facts> nodes;  // those that have sent everything
  std::string other_line;              // the first that no node wrote: srun's, probably
};

// Leaves out what is damaged.
Answers read_answers(std::string_view output);

}  // namespace muster::doctor
