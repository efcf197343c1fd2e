// The stacks in what a tool has printed. These texts come from programs of the user's choice: they are
// read within bounds, and what makes no sense is refused or left out.
#pragma once

#include "core/dump/look.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace muster::dump {

// `py-spy dump --json`. Throws Error where it is none. Lines before it are a warning of py-spy's.
std::vector<Thread> stacks_of_py_spy(std::string_view text);

// What faulthandler writes for all threads; its last one is the main thread. Empty where it is none.
std::vector<Thread> stacks_of_faulthandler(std::string_view text);

// "thread apply all bt" of gdb, or eu-stack, for the process of that ID. Empty where it is none.
std::vector<Thread> stacks_of_debugger(std::string_view text, std::uint32_t pid);

}  // namespace muster::dump
