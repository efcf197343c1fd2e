// slow=: what holds back this node's GPUs, while a rank of it is slow.
#pragma once

#include "core/slow/gpu.hpp"
#include "launcher/os/bounded_child.hpp"

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::agent {

// Looks at all GPUs that NVML shows, in a child process, because NVML hangs if the driver is failing.
class GpuWatch {
 public:
  // `own`: the processes of the step. Every other process on a GPU that one of them uses is a stranger,
  // except the server of NVIDIA's MPS.
  GpuWatch(const std::string& nvml, std::set<pid_t> own, std::chrono::milliseconds time);

  // What was seen; nothing without a GPU or NVML. Call it once, after that time: then it does not wait.
  std::vector<slow::GpuLook> answer();

 private:
  os::AskedChild child_;
};

}  // namespace muster::agent
