// Plans as text: a line per step, to be compared with what we wrote down once and reviewed.
#pragma once

#include "core/topology/topology.hpp"

#include <string>
#include <vector>

namespace muster::golden {

// Every policy x cpuset x number of tasks.
std::string plans_of(const topology::Topology& node);

// Compares them with plans/NAME.txt line by line, as test expectations. MUSTER_UPDATE_GOLDEN=1 writes the file first.
// False if there is no such file: the machine has not been reviewed yet.
bool compare_with_written_plans(const std::string& name, const topology::Topology& node);

}  // namespace muster::golden
