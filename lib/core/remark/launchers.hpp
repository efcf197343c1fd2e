// Recognises programs that start ranks, and programs that are ranks, by their names.
#pragma once

#include "core/environment.hpp"
#include "core/profile/profile.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace muster::remark {

// A program with its arguments.
using Words = std::span<const std::string>;

// "torchrun", "accelerate launch", ... if the program is one of them, including as `python -m`; empty
// otherwise.
std::string launcher_of(Words program);

// "mpirun" or "mpiexec" if the program is the daemon that one of these starts on each node, with an srun of
// its own, to start the ranks there; empty otherwise. The daemon is not a rank, but the ranks inherit its
// environment.
std::string mpi_launcher_of(Words program);

// The file that Python runs: "train.py" for `python -u train.py --lr 1`, or a program whose name ends in .py;
// no value for modules, -c TEXT and other programs.
std::optional<std::string> python_file_of(Words program);

// Whether the profile tells each task which rank it is.
bool numbers_ranks(const profile::Profile& profile);

// Whether the text of a Python file certainly joins ranks that something else started, and starts none
// itself.
bool joins_ranks(std::string_view text);

// The remark for a launcher, or for a training tool that starts one, under a profile with one task per rank:
// each task would start ranks. A wrapper such as `uv run` or `bash -c` may start the launcher.
// `environment`: the tasks'; some tools start a launcher only if a variable is set.
std::string launcher_in_tasks(const profile::Profile& profile, Words program,
                              const Environment& environment);

// The error for `muster run` as the program of an srun with --distributed: each task would start a training
// of its own.
std::string run_in_tasks(Words program);

// The remark for a training script under a profile for launchers: nothing would tell the script its rank.
// `text` is the content of python_file_of(program).
std::string script_without_launcher(const profile::Profile& profile, Words program,
                                    std::string_view text);

}  // namespace muster::remark
