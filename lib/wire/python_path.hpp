// PYTHONPATH with the directory of the start hook for Python, and without it. Its sitecustomize.py
// (lib/python/start) restores the user's own value before the program's first line. The agent plans the
// value, and the shim checks it in each task.
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

// What the shim sees when a task starts.
struct PythonPathInTask {
  std::string_view directory;         // the start hook's
  bool sees_hook = true;              // false: in a container without muster
  std::optional<std::string> before;  // the job's value when the plan was made
  std::optional<std::string> now;  // the task's: a container's plugin may have brought the image's
};

// The task's value: as planned if nothing has changed since. No value: not set.
std::optional<std::string> python_path_of_task(const std::string& planned,
                                               const PythonPathInTask& task);

}  // namespace muster::wire
