// This process's GPU, through CUDA's driver library (libcuda.so.1), which is opened at run time so that the
// build needs no CUDA. If cuda.h is found, abi_check.cpp compares the declarations with it.
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

// There is nothing to test here: no driver, or no GPU that this process may use.
class NothingHere : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Time is up.
class TooLate : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The first GPU that CUDA shows this process, with its primary context current in the calling thread, and
// memory for an all-reduce of this many bytes. The destructor gives everything back.
class Gpu {
 public:
  // Throws NothingHere, or std::runtime_error with one line.
  explicit Gpu(std::size_t bytes);
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  ~Gpu();

  [[nodiscard]] void* input() const;  // addresses in the GPU's memory
  [[nodiscard]] void* output() const;
  [[nodiscard]] CudaStream stream() const { return stream_; }

  // Writes two numbers to the beginning of the input, or reads them from the output.
  void write(float first, float second) const;
  void read(float& first, float& second) const;

  // Makes the context the thread's current one again, because libraries may have changed it.
  void make_current() const;

  // Whether everything given to the stream is done. Throws std::runtime_error if it has failed.
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
