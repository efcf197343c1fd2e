// The stacks in what a tool has printed. These texts come from programs of the user's choice: they are
// read within bounds, and what makes no sense is refused or left out.
#pragma once

#include "core/dump/look.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace muster::dump {

// `py-spy dump --json`. Throws Error if it is not one. Lines before it are warnings of py-spy's.
std::vector<Thread> stacks_of_py_spy(std::string_view text);

// The output of faulthandler for all threads; the last one is the main thread. Empty if it is not one.
std::vector<Thread> stacks_of_faulthandler(std::string_view text);

// The output of gdb's "thread apply all bt" or of eu-stack, for the process with that ID. Empty if it is not
// one.
std::vector<Thread> stacks_of_debugger(std::string_view text, std::uint32_t pid);

}  // namespace muster::dump
