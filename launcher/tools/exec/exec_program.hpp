// The last step of `muster exec`: this process applies its part of the plan and becomes the program.
#pragma once

#include "confine/confine.hpp"
#include "core/environment.hpp"
#include "wire/messages.hpp"

#include <string>
#include <vector>

namespace muster::exec {

// The code that shells return for a program that cannot be found.
inline constexpr int exit_no_program = 127;

// One task's part of a node's plan, as a message from to_wire().
wire::NodePlan part_of(const wire::NodePlan& plan, std::size_t local_id);

// Sets and unsets the variables of the one task in `part`, and confines this process to its CPUs
// and their memory.
confine::Confined apply(const wire::NodePlan& part);

// Returns only if the program cannot be started: prints why and returns the exit code.
int become(const std::vector<std::string>& command);

}  // namespace muster::exec
