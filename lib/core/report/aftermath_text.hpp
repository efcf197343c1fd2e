// What else happened: other failures, victims, lost nodes, the job's state in Slurm, times.
#pragma once

#include "core/report/report.hpp"
#include "core/report/screen.hpp"

#include <cstddef>

namespace muster::report {

// A state of the job that only repeats what the report says anyway.
bool is_usual(const SlurmJobState& slurm);

// At most `room` lines; `room` is at least two.
Lines aftermath_lines(const Report& report, const TextStyle& style, std::size_t room);

}  // namespace muster::report
