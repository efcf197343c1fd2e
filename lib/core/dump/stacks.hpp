// Extracts the stacks from a tool's output. The output comes from programs that the user chose: it is read
// within bounds, and anything that makes no sense is refused or left out.
#pragma once

#include "core/dump/look.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace muster::dump {

// The output of `py-spy dump --json`. Throws Error for anything else. Lines before it are py-spy's warnings.
std::vector<Thread> stacks_of_py_spy(std::string_view text);

// The output of faulthandler, for one thread or for all; the last one is the main thread. Empty for any other
// text.
std::vector<Thread> stacks_of_faulthandler(std::string_view text);

// The answer of muster's Python package about its process: {"threads": [{"name", "frames"}]}, with the frames
// as faulthandler prints them, or {"error"}. Throws an Error of one line for anything else.
std::vector<Thread> stacks_of_package(std::string_view text);

// The output of gdb's "thread apply all bt" or of eu-stack for the process with that ID. Empty for any other
// text.
std::vector<Thread> stacks_of_debugger(std::string_view text, std::uint32_t pid);

}  // namespace muster::dump
