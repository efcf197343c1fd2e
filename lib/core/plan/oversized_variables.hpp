// A variable that is too long for any process to start with goes into a file; NAME_FILE gives its path.
#pragma once

#include "core/plan/node_plan.hpp"

#include <string>
#include <vector>

namespace muster::plan {

struct ValueFile {
  std::string variable;  // the task must not keep the value that the job environment has for it
  std::string path;
  std::string content;
};

// Removes such variables from the plan; the caller writes the files. Adds one warning. Throws Error if
// there is no directory for the files.
std::vector<ValueFile> move_oversized_variables(NodePlan& plan, const std::string& directory);

}  // namespace muster::plan
