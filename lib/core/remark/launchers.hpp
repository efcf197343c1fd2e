// Programs that start ranks, and programs that are one, by their names.
#pragma once

#include "core/profile/profile.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace muster::remark {

// A program with its arguments.
using Words = std::span<const std::string>;

// "torchrun", "accelerate launch", ... if the program is one of them, also as `python -m`; empty
// otherwise.
std::string launcher_of(Words program);

// "mpirun" or "mpiexec" if the program is the daemon by which one of these starts the ranks on a node, with
// an srun of its own; empty otherwise. The daemon is no rank, and the ranks inherit its environment.
std::string mpi_launcher_of(Words program);

// The file that Python runs: "train.py" of `python -u train.py --lr 1`, or a program that ends in
// .py; nothing for modules, for text and for other programs.
std::optional<std::string> python_file_of(Words program);

// The profile tells each task which rank it is.
bool numbers_ranks(const profile::Profile& profile);

// A Python file's text certainly joins ranks that something else has started, and starts none.
bool joins_ranks(std::string_view text);

// A line for a launcher under a profile with one task per rank: each task would start ranks.
std::string launcher_in_tasks(const profile::Profile& profile, Words program);

// An error for `muster run` as the program of an srun that asks for muster: each task would start a training
// of its own.
std::string run_in_tasks(Words program);

// A line for a training script under a profile for launchers: nothing would tell it its rank.
// `text` is that of python_file_of(program).
std::string script_without_launcher(const profile::Profile& profile, Words program,
                                    std::string_view text);

}  // namespace muster::remark
