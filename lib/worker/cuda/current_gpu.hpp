// Makes a GPU current in the calling thread: NCCL uses the current GPU and no other.
#pragma once

#include "worker/cuda/api.hpp"

namespace muster::worker::cuda {

// The destructor undoes this unless keep() was called. After keep(), a thread that had no current GPU keeps
// this one, as after cudaSetDevice(). A thread that had another GPU gets it back, but this GPU's context
// stays for the communicator that uses it.
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
