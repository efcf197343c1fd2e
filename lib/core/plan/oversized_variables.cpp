#include "core/plan/oversized_variables.hpp"

#include "core/error.hpp"
#include "wire/variables.hpp"

#include <utility>

#include <fmt/format.h>

namespace muster::plan {
namespace {

bool is_long(const EnvVar& variable) {
  return variable.name.size() + 1 + variable.value.size() + 1 > wire::max_variable_bytes;
}

std::string warning(const std::string& name) {
  return fmt::format(
      "{} is longer than the {} KiB that Linux allows for a variable: it is in the file that {}_FILE "
      "names, and the program must read that file itself",
      name, wire::max_variable_bytes / 1024, name);
}

}  // namespace

std::vector<ValueFile> move_oversized_variables(NodePlan& plan, const std::string& directory) {
  std::vector<ValueFile> files;
  for (auto& task : plan.tasks) {
    for (auto& variable : task.variables) {
      if (variable.kept || !is_long(variable)) continue;
      if (directory.empty()) {
        throw Error(fmt::format(
            "{} is too long for a variable, and no directory for its file could be created in TMPDIR; is "
            "the disk full?",
            variable.name));
      }
      if (files.empty() && plan.node_rank == 0) plan.warnings.push_back(warning(variable.name));
      files.push_back({variable.name, fmt::format("{}/{}/{}", directory, task.index, variable.name),
                       std::exchange(variable.value, {})});
      variable.name += "_FILE";
      variable.value = files.back().path;
    }
  }
  return files;
}

}  // namespace muster::plan
