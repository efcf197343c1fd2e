#include "worker/cuda/gpu.hpp"

#include <algorithm>
#include <cctype>

namespace muster::worker::cuda {
namespace {

std::string text_of(const CudaApi& cuda, CudaResult error) {
  const char* text = nullptr;
  if (cuda.error_string(error, &text) == cuda_success && text != nullptr) return text;
  return "CUDA error " + std::to_string(error);
}

void fail(Gpu& gpu, const CudaApi& cuda, CudaResult error) {
  gpu.state = error == cuda_no_device ? Gpu::State::no_device : Gpu::State::failed;
  gpu.error = error;
  gpu.why = text_of(cuda, error);
}

// The index of the thread's current GPU; -1 if there is none.
int current_device(const CudaApi& cuda) {
  CudaContext context = nullptr;
  if (cuda.context_get(&context) != cuda_success || context == nullptr) return -1;
  CudaDevice device = -1;
  return cuda.context_device(&device) == cuda_success ? device : -1;
}

int chosen(const CudaApi& cuda, const Gpu& gpu, int requested, int local_rank) {
  if (requested >= 0) return requested;
  const int current = current_device(cuda);
  return current >= 0 ? current : std::max(local_rank, 0) % gpu.count;
}

CudaResult identify(const CudaApi& cuda, Gpu& gpu) {
  CudaDevice device = 0;
  std::array<char, 32> bus_id{};
  if (const auto result = cuda.device_get(&device, gpu.device)) return result;
  if (const auto result = cuda.bus_id(bus_id.data(), bus_id.size(), device)) return result;
  gpu.bus_id = bus_id.data();
  std::ranges::transform(gpu.bus_id, gpu.bus_id.begin(),
                         [](unsigned char c) { return std::tolower(c); });
  CudaUuid uuid{};
  if (cuda.uuid != nullptr && cuda.uuid(&uuid, device) == cuda_success) gpu.uuid = uuid.bytes;
  return cuda_success;
}

}  // namespace

Gpu look_at_gpu(const OpenedCuda& opened, int requested, int local_rank) {
  Gpu gpu;
  if (!opened.api) {
    gpu.state = Gpu::State::no_driver;
    gpu.why = opened.why_not;
    return gpu;
  }
  const auto& cuda = *opened.api;
  cuda.driver_version(&gpu.driver_version);
  auto result = cuda.init(0);
  if (result == cuda_success) result = cuda.device_count(&gpu.count);
  if (result == cuda_success && gpu.count == 0) result = cuda_no_device;
  if (result != cuda_success) {
    fail(gpu, cuda, result);
    return gpu;
  }
  gpu.device = chosen(cuda, gpu, requested, local_rank);
  if (gpu.device >= gpu.count) {
    gpu.state = Gpu::State::no_such_index;
    return gpu;
  }
  gpu.state = Gpu::State::found;
  if (const auto failed = identify(cuda, gpu)) fail(gpu, cuda, failed);
  return gpu;
}

}  // namespace muster::worker::cuda
