// How a node's facts reach the submit host: each is an answer "NAME=VALUE" as core/slurm/node_answers.hpp
// describes it, and the last one is "done". Pure.
#pragma once

#include "core/doctor/facts.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace muster::doctor {

std::string to_lines(const std::string& node, const Facts& facts);

struct Answers {
  std::map<std::string, Facts> nodes;  // nodes that have sent everything
  std::string other_line;              // the first line that no node wrote: probably srun's
};

// Ignores damaged answers.
Answers read_answers(std::string_view output);

}  // namespace muster::doctor
