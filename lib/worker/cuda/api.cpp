#include "worker/cuda/api.hpp"

#include <dlfcn.h>

namespace muster::worker::cuda {
namespace {

template <class Function>
bool find(Function& function, void* library, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

bool fill(CudaApi& api, void* library) {
  if (!find(api.uuid, library, "cuDeviceGetUuid_v2")) find(api.uuid, library, "cuDeviceGetUuid");
  // cuda.h maps the plain names to these.
  return find(api.init, library, "cuInit") &&
         find(api.driver_version, library, "cuDriverGetVersion") &&
         find(api.device_count, library, "cuDeviceGetCount") &&
         find(api.device_get, library, "cuDeviceGet") &&
         find(api.bus_id, library, "cuDeviceGetPCIBusId") &&
         find(api.context_get, library, "cuCtxGetCurrent") &&
         find(api.context_set, library, "cuCtxSetCurrent") &&
         find(api.context_device, library, "cuCtxGetDevice") &&
         find(api.primary_retain, library, "cuDevicePrimaryCtxRetain") &&
         find(api.primary_release, library, "cuDevicePrimaryCtxRelease_v2") &&
         find(api.error_string, library, "cuGetErrorString");
}

}  // namespace

OpenedCuda open_cuda() {
  // Never closed, because the driver has threads of its own.
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = ::dlerror();  // NOLINT(concurrency-mt-unsafe): a thread has its own
    return {std::nullopt, reason == nullptr ? "libcuda.so.1 cannot be opened" : reason};
  }
  CudaApi api;
  if (!fill(api, library))
    return {std::nullopt, "libcuda.so.1 is not a CUDA driver, or is older than 11.0"};
  return {api, {}};
}

}  // namespace muster::worker::cuda
