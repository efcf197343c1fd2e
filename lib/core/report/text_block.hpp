// The parts of the report's text, each as lines that fit the screen. For text.cpp only.
#pragma once

#include "core/report/report.hpp"
#include "core/report/text.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::report {

using Lines = std::vector<std::string>;

// "  host      : node1".
std::string field(std::string_view name, std::string_view value);

// The first failure, in the fields of torchrun's report, and at most `room` lines of its traceback or
// of its standard error.
Lines first_failure_lines(const Report& report, const TextStyle& style);
Lines evidence_lines(const RankEnd& end, std::size_t room);

// What else happened: other failures, victims, lost nodes, Slurm's word, times.
Lines aftermath_lines(const Report& report, const TextStyle& style);

}  // namespace muster::report
