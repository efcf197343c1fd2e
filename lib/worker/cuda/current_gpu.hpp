// Makes a GPU the calling thread's current one: NCCL uses the current GPU and no other.
#pragma once

#include "worker/cuda/api.hpp"

namespace muster::worker::cuda {

// The destructor undoes it, unless keep() was called. After keep(), a thread that had no current
// GPU keeps this one, as after cudaSetDevice(). A thread that had another GPU gets that back, while
// this GPU's context stays for the communicator in it.
class CurrentGpu {
 public:
  // Throws Error (GPU).
  CurrentGpu(const CudaApi& cuda, int device);
  CurrentGpu(const CurrentGpu&) = delete;
  CurrentGpu& operator=(const CurrentGpu&) = delete;
  ~CurrentGpu();

  void keep() { kept_ = true; }

 private:
  bool is_current() const;

  const CudaApi& cuda_;
  CudaDevice device_ = 0;
  CudaContext before_ = nullptr;
  bool retained_ = false;
  bool kept_ = false;
};

}  // namespace muster::worker::cuda
