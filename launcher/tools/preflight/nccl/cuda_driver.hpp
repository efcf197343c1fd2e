// The GPU of this process by CUDA's driver (libcuda.so.1), which is opened here: the build needs no CUDA.
// Where cuda.h is found, abi_check.cpp compares the declarations with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace muster::preflight::nccl {

using CudaResult = int;
inline constexpr CudaResult cuda_success = 0;
inline constexpr CudaResult cuda_no_device = 100;
inline constexpr CudaResult cuda_not_ready = 600;

using CudaDevice = int;
using CudaContext = void*;
using CudaStream = void*;
using CudaMemory = std::uint64_t;  // CUdeviceptr

struct CudaFunctions {
  CudaResult (*init)(unsigned) = nullptr;
  CudaResult (*device_count)(int*) = nullptr;
  CudaResult (*device_get)(CudaDevice*, int) = nullptr;
  CudaResult (*primary_retain)(CudaContext*, CudaDevice) = nullptr;
  CudaResult (*primary_release)(CudaDevice) = nullptr;
  CudaResult (*context_set)(CudaContext) = nullptr;
  CudaResult (*stream_create)(CudaStream*, unsigned) = nullptr;
  CudaResult (*stream_query)(CudaStream) = nullptr;
  CudaResult (*allocate)(CudaMemory*, std::size_t) = nullptr;
  CudaResult (*release)(CudaMemory) = nullptr;
  CudaResult (*to_gpu)(CudaMemory, const void*, std::size_t) = nullptr;
  CudaResult (*from_gpu)(void*, CudaMemory, std::size_t) = nullptr;
  CudaResult (*error_string)(CudaResult, const char**) = nullptr;
};

// There is nothing here that could be tested: no driver, or no GPU that this process may use.
class NothingHere : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The time is over.
class TooLate : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The first GPU that CUDA shows this process, its primary context the calling thread's current one, with
// memory for an all-reduce of so many bytes. All of it is given back at the end.
class Gpu {
 public:
  // Throws NothingHere, or std::runtime_error, one line.
  explicit Gpu(std::size_t bytes);
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  ~Gpu();

  [[nodiscard]] void* input() const;  // addresses of the GPU's
  [[nodiscard]] void* output() const;
  [[nodiscard]] CudaStream stream() const { return stream_; }

  // Two numbers at the beginning of the input, and of the output.
  void write(float first, float second) const;
  void read(float& first, float& second) const;

  // Makes the context the thread's again: others may have changed it.
  void make_current() const;

  // Whether all is done that the stream has been given. Throws std::runtime_error if it has failed.
  [[nodiscard]] bool is_done() const;

 private:
  void check(CudaResult result, const char* call) const;
  void give_back();

  CudaFunctions cuda_;
  CudaDevice device_ = 0;
  CudaContext context_ = nullptr;
  CudaStream stream_ = nullptr;
  CudaMemory input_ = 0;
  CudaMemory output_ = 0;
};

}  // namespace muster::preflight::nccl
