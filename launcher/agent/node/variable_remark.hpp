// What the lint says about the variables of a launch.
#pragma once

#include "core/environment.hpp"
#include "core/plan/node_plan.hpp"

#include <cstddef>
#include <filesystem>
#include <string>

namespace muster::node {

// Always a single line; empty if there is nothing to say. `nodes`: of the step. `root` is /.
std::string variable_remark(const plan::NodePlan& plan, const Environment& environment,
                            std::size_t nodes, const std::filesystem::path& root = "/");

}  // namespace muster::node
