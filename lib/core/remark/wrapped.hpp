// The commands that a command line ultimately starts: wrappers such as `uv run`, numactl and `bash -c` start
// another command.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace muster::remark {

using Command = std::vector<std::string>;

// The commands inside the program's wrappers, or the program itself if it is not a wrapper.
//
// It is better to miss a command than to name one that does not run in every task: a word counts only where a
// command can stand, and a shell script with a condition, a loop, a function or a here-document counts as
// empty.
std::vector<Command> commands_in(std::span<const std::string> program);

// Whether the program runs in an image of Apptainer or Singularity.
bool runs_in_apptainer(std::span<const std::string> program);

}  // namespace muster::remark
