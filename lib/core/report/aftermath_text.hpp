// What else happened: other failures, victims, lost nodes, Slurm's word, times.
#pragma once

#include "core/report/report.hpp"
#include "core/report/screen.hpp"

namespace muster::report {

Lines aftermath_lines(const Report& report, const TextStyle& style);

}  // namespace muster::report
