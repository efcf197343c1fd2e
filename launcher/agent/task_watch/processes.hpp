// The processes of a step's tasks on this node, as /proc shows them.
#pragma once

#include "core/cpuset.hpp"
#include "core/layout/ids.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::task_watch {

struct TaskProcess {
  pid_t pid = 0;
  pid_t parent = 0;
  layout::ProcId procid = 0;  // its task's
  std::string name;
  std::vector<std::string> arguments;
  // ACCELERATE_CPU_AFFINITY is set: the library binds inside the program.
  bool accelerate_binds = false;
  CpuSet cpus;  // where its first thread may run
};

// The processes of `user` whose environment says that they belong to the step (MUSTER_STEP, "42.0"), and
// those below them without such a variable. Sorted by process ID. Leaves out a process that ends in the
// meantime, or that cannot be read.
std::vector<TaskProcess> task_processes(const std::filesystem::path& proc, const std::string& step,
                                        uid_t user);

}  // namespace muster::task_watch
