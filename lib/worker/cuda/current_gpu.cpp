#include "worker/cuda/current_gpu.hpp"

#include "worker/error.hpp"

namespace muster::worker::cuda {
namespace {

void check(const CudaApi& cuda, CudaResult result, int device, const char* what) {
  if (result == cuda_success) return;
  const char* text = nullptr;
  cuda.error_string(result, &text);
  throw Error{MUSTER_ERR_GPU,
              "GPU " + std::to_string(device) + " cannot be used: " + what + ": " +
                  (text == nullptr ? "CUDA error " + std::to_string(result) : text) +
                  "; check it with nvidia-smi"};
}

}  // namespace

CurrentGpu::CurrentGpu(const CudaApi& cuda, int device) : cuda_(cuda) {
  check(cuda, cuda.device_get(&device_, device), device, "cuDeviceGet");
  check(cuda, cuda.context_get(&before_), device, "cuCtxGetCurrent");
  if (is_current()) return;
  CudaContext primary = nullptr;
  check(cuda, cuda.primary_retain(&primary, device_), device, "cuDevicePrimaryCtxRetain");
  retained_ = true;
  const auto result = cuda.context_set(primary);
  if (result == cuda_success) return;
  cuda.primary_release(device_);
  check(cuda, result, device, "cuCtxSetCurrent");
}

bool CurrentGpu::is_current() const {
  CudaDevice current = -1;
  return before_ != nullptr && cuda_.context_device(&current) == cuda_success && current == device_;
}

CurrentGpu::~CurrentGpu() {
  if (!retained_) return;
  if (before_ != nullptr || !kept_) cuda_.context_set(before_);
  if (!kept_) cuda_.primary_release(device_);
}

}  // namespace muster::worker::cuda
