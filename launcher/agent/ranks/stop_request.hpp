// Which processes of a rank get a signal that asks it to stop, so that the program can save a checkpoint:
// SIGTERM from muster, or the user's own. Pure.
//
// If a Python process handles the signal, its children do not get it: a DataLoader worker ends if any process
// other than its parent sends it SIGTERM, and torch then raises an error in the parent, in the middle of a
// step or of the checkpoint. The same holds for wandb's helper process.
//
// A shell that has started a program that handles the signal does not get it: the shell would end at once,
// and the rank with it, and the program would be killed before it has saved anything. The same holds for what
// the shell has started beside the program, such as `tee`: the program's next line of output would end it.
//
// A starter such as `conda run` or `uv run` above such a program does not get it either. Some would end at
// once, as a shell would. The others would pass the signal on, so that the program would get it twice, and
// would end if its handler has restored the default. `timeout` and dumb-init would even pass it to DataLoader
// workers. A starter's own handler serves only this, unlike a shell's trap.
//
// With proctrack/cgroup, Slurm's own signals except SIGKILL reach only the tasks, not their children.
#pragma once

#include <set>
#include <vector>

#include <sys/types.h>

namespace muster::ranks {

struct ProgramProcess {
  pid_t pid = 0;
  pid_t parent = 0;
  bool handles_it = false;  // the signal
  bool is_python = false;
  bool is_shell = false;
  bool is_starter = false;
};

// `processes`: the ranks' processes and everything below them. A process that does not descend from a rank is
// not spared.
std::set<pid_t> spared_from_signal(const std::vector<pid_t>& ranks,
                                   const std::vector<ProgramProcess>& processes);

}  // namespace muster::ranks
