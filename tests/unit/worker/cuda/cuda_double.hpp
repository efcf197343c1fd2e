// A double of CUDA's driver, not the real thing: GPUs that only have names. The current context is
// a thread's, as the driver has it; ranks are threads.
#pragma once

#include "worker/cuda/api.hpp"

#include <string>
#include <vector>

namespace muster::worker::cuda {

// One at a time; the table's functions work on the latest.
class CudaDouble {
 public:
  explicit CudaDouble(int gpus = 8);
  CudaDouble(const CudaDouble&) = delete;
  CudaDouble& operator=(const CudaDouble&) = delete;
  ~CudaDouble();

  OpenedCuda open() const;

  // Makes a GPU the calling thread's current one, or none (-1), as a program does.
  static void set_current(int device);
  static int current();

  int retained() const;  // primary contexts taken and not given back

  CudaResult init_result = cuda_success;
  CudaResult retain_result = cuda_success;
  int driver_version = 12080;
  std::vector<std::string> bus_ids;
};

}  // namespace muster::worker::cuda
