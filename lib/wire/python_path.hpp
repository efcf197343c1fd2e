// PYTHONPATH with the directory of the start hook for Python, and without it. Its sitecustomize.py
// (lib/python/start) restores the user's own value before the program's first line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::wire {

inline constexpr const char* python_path_variable = "PYTHONPATH";

// "DIR" if the user has not set PYTHONPATH, "DIR/" if it is empty, otherwise "DIR/.:VALUE". Empty if the hook
// cannot be used: no directory, a colon in it, or a value that would become longer than Linux allows.
std::string with_start_hook(const std::optional<std::string>& users, std::string_view directory);

// The user's own value in what with_start_hook() has made, which a script may have added to. No value: not
// set.
std::optional<std::string> without_start_hook(const std::optional<std::string>& value,
                                              std::string_view directory);

}  // namespace muster::wire
