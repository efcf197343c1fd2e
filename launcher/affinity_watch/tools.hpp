// The tools that bind a process to CPUs before or while they start it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::affinity_watch {

// The one that a command names, also inside a word such as bash -c has it; empty when there is none
// that binds: torchrun and accelerate do so only on request.
std::string_view binding_tool(const std::vector<std::string>& arguments);

}  // namespace muster::affinity_watch
