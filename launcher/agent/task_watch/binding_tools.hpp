// The tools that bind a process to CPUs, before or while they start it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::task_watch {

// The binding tool that a command names, also inside an argument as in bash -c; empty if it names
// none. torchrun and accelerate bind only on request.
std::string_view binding_tool(const std::vector<std::string>& arguments);

}  // namespace muster::task_watch
