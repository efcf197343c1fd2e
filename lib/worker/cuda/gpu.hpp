// The GPU of this rank, as CUDA's driver describes it without making a context. A missing GPU is only a
// state here; the check of all ranks decides whether it is an error.
#pragma once

#include "worker/cuda/api.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace muster::worker::cuda {

struct Gpu {
  enum class State : std::uint8_t {
    not_looked = 0,
    found = 1,
    no_driver = 2,      // no libcuda.so.1
    no_device = 3,      // there is a driver, but no GPU that this process may use
    no_such_index = 4,  // `device` is not below `count`
    failed = 5,         // the driver returned `error`
  };

  State state = State::not_looked;
  int device = -1;         // CUDA's index in this process
  int count = 0;           // GPUs that this process sees
  int driver_version = 0;  // CUDA version of the driver: 12080
  CudaResult error = cuda_success;
  std::string why;                       // for failed and no_driver
  std::string bus_id;                    // "0000:41:00.0"
  std::array<unsigned char, 16> uuid{};  // a MIG instance has its own
};

// `requested`: CUDA index, or -1 for the calling thread's current GPU. Without a current GPU, -1
// means `local_rank` modulo the number of GPUs.
Gpu look_at_gpu(const OpenedCuda& cuda, int requested, int local_rank);

}  // namespace muster::worker::cuda
