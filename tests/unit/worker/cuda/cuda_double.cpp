#include "cuda_double.hpp"

#include <array>
#include <atomic>
#include <cstdio>

namespace muster::worker::cuda {
namespace {

CudaDouble* now = nullptr;
std::atomic<int> retains{0};
thread_local CudaContext current_context = nullptr;

// A context is its device's number plus one, and is never dereferenced.
CudaContext context_of(int device) {
  return reinterpret_cast<CudaContext>(static_cast<std::uintptr_t>(device + 1));
}

CudaResult init(unsigned /*flags*/) {
  return now->init_result;
}
CudaResult driver_version(int* version) {
  *version = now->driver_version;
  return cuda_success;
}
CudaResult device_count(int* count) {
  *count = static_cast<int>(now->bus_ids.size());
  return cuda_success;
}
CudaResult device_get(CudaDevice* device, int index) {
  *device = index;
  return cuda_success;
}
CudaResult bus_id(char* text, int size, CudaDevice device) {
  std::snprintf(text, static_cast<std::size_t>(size), "%s",
                now->bus_ids.at(static_cast<std::size_t>(device)).c_str());
  return cuda_success;
}
CudaResult uuid(CudaUuid* uuid, CudaDevice device) {
  uuid->bytes = {static_cast<unsigned char>(device + 1)};
  return cuda_success;
}
CudaResult context_get(CudaContext* context) {
  *context = current_context;
  return cuda_success;
}
CudaResult context_set(CudaContext context) {
  current_context = context;
  return cuda_success;
}
CudaResult context_device(CudaDevice* device) {
  *device = CudaDouble::current();
  return cuda_success;
}
CudaResult primary_retain(CudaContext* context, CudaDevice device) {
  if (now->retain_result != cuda_success) return now->retain_result;
  *context = context_of(device);
  ++retains;
  return cuda_success;
}
CudaResult primary_release(CudaDevice /*device*/) {
  --retains;
  return cuda_success;
}
CudaResult error_string(CudaResult error, const char** text) {
  *text = error == cuda_no_device ? "no CUDA-capable device is detected" : "the double's error";
  return cuda_success;
}

}  // namespace

CudaDouble::CudaDouble(int gpus) {
  for (int gpu = 0; gpu < gpus; ++gpu) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "0000:%02X:00.0", 0x41 + gpu);
    bus_ids.emplace_back(text.data());
  }
  retains = 0;
  now = this;
}

CudaDouble::~CudaDouble() {
  current_context = nullptr;
  now = nullptr;
}

OpenedCuda CudaDouble::open() const {
  return {CudaApi{.init = init,
                  .driver_version = cuda::driver_version,
                  .device_count = device_count,
                  .device_get = device_get,
                  .bus_id = bus_id,
                  .uuid = uuid,
                  .context_get = context_get,
                  .context_set = context_set,
                  .context_device = context_device,
                  .primary_retain = primary_retain,
                  .primary_release = primary_release,
                  .error_string = error_string},
          {}};
}

void CudaDouble::set_current(int device) {
  current_context = device < 0 ? nullptr : context_of(device);
}

int CudaDouble::current() {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(current_context)) - 1;
}

int CudaDouble::retained() const {
  return retains;
}

}  // namespace muster::worker::cuda
