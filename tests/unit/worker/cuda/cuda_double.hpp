// A double of CUDA's driver, not the real library: GPUs that only have names. As with the real driver, the
// current context belongs to a thread; ranks are threads.
#pragma once

#include "worker/cuda/api.hpp"

#include <string>
#include <vector>

namespace muster::worker::cuda {

// Only one at a time; the table's functions use the latest.
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

  int retained() const;  // primary contexts retained and not released

  CudaResult init_result = cuda_success;
  CudaResult retain_result = cuda_success;
  int driver_version = 12080;
  std::vector<std::string> bus_ids;
};

}  // namespace muster::worker::cuda
