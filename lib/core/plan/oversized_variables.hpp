// A variable that no process could be started with goes into a file, and NAME_FILE says where.
#pragma once

#include "core/plan/plan.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace muster::plan {

// Linux's MAX_ARG_STRLEN: "NAME=VALUE" with its end.
inline constexpr std::size_t max_variable_bytes = 131072;

struct ValueFile {
  std::string variable;  // a value that the job's environment has for it is not the task's
  std::string path;
  std::string content;
};

// Takes such variables out of the plan; the caller writes the files. Warns once. Error where there
// is no directory for them.
std::vector<ValueFile> move_oversized_variables(NodePlan& plan, const std::string& directory);

}  // namespace muster::plan
