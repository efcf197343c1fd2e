#include "launcher/tools/preflight/nccl/cuda_driver.hpp"

#include <array>

#include <dlfcn.h>

namespace muster::preflight::nccl {
namespace {

template <class Function>
void find(Function& function, void* library, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr)
    throw std::runtime_error(std::string("libcuda.so.1 has no ") + name +
                             ": it is older than CUDA 11, or is not the driver's library");
}

// Never closed, because the driver has threads of its own. cuda.h maps the plain names to these.
CudaFunctions open_driver() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw NothingHere("libcuda.so.1 cannot be opened");
  CudaFunctions cuda;
  find(cuda.init, library, "cuInit");
  find(cuda.device_count, library, "cuDeviceGetCount");
  find(cuda.device_get, library, "cuDeviceGet");
  find(cuda.primary_retain, library, "cuDevicePrimaryCtxRetain");
  find(cuda.primary_release, library, "cuDevicePrimaryCtxRelease_v2");
  find(cuda.context_set, library, "cuCtxSetCurrent");
  find(cuda.stream_create, library, "cuStreamCreate");
  find(cuda.stream_query, library, "cuStreamQuery");
  find(cuda.allocate, library, "cuMemAlloc_v2");
  find(cuda.release, library, "cuMemFree_v2");
  find(cuda.to_gpu, library, "cuMemcpyHtoD_v2");
  find(cuda.from_gpu, library, "cuMemcpyDtoH_v2");
  find(cuda.error_string, library, "cuGetErrorString");
  return cuda;
}

void* address(CudaMemory memory) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(memory));
}

}  // namespace

Gpu::Gpu(std::size_t bytes) : cuda_(open_driver()) {
  constexpr unsigned not_after_the_default_stream = 1;  // CU_STREAM_NON_BLOCKING
  int count = 0;
  const auto started = cuda_.init(0);
  if (started == cuda_no_device) throw NothingHere("CUDA finds no GPU");
  check(started, "cuInit");
  const auto counted = cuda_.device_count(&count);
  if (counted == cuda_no_device || (counted == cuda_success && count == 0))
    throw NothingHere("CUDA finds no GPU");
  check(counted, "cuDeviceGetCount");
  check(cuda_.device_get(&device_, 0), "cuDeviceGet");
  check(cuda_.primary_retain(&context_, device_), "cuDevicePrimaryCtxRetain");
  try {
    make_current();
    check(cuda_.stream_create(&stream_, not_after_the_default_stream), "cuStreamCreate");
    check(cuda_.allocate(&input_, bytes), "cuMemAlloc");
    check(cuda_.allocate(&output_, bytes), "cuMemAlloc");
  } catch (...) {
    give_back();
    throw;
  }
}

Gpu::~Gpu() {
  give_back();
}

// The stream ends with the context.
void Gpu::give_back() {
  for (const auto memory : {input_, output_}) {
    if (memory != 0) cuda_.release(memory);
  }
  cuda_.primary_release(device_);
}

void* Gpu::input() const {
  return address(input_);
}

void* Gpu::output() const {
  return address(output_);
}

void Gpu::write(float first, float second) const {
  const std::array<float, 2> numbers{first, second};
  check(cuda_.to_gpu(input_, numbers.data(), sizeof numbers), "cuMemcpyHtoD");
}

void Gpu::read(float& first, float& second) const {
  std::array<float, 2> numbers{};
  check(cuda_.from_gpu(numbers.data(), output_, sizeof numbers), "cuMemcpyDtoH");
  first = numbers.front();
  second = numbers.back();
}

void Gpu::make_current() const {
  check(cuda_.context_set(context_), "cuCtxSetCurrent");
}

bool Gpu::is_done() const {
  const auto state = cuda_.stream_query(stream_);
  if (state != cuda_not_ready) check(state, "cuStreamQuery");
  return state == cuda_success;
}

void Gpu::check(CudaResult result, const char* call) const {
  if (result == cuda_success) return;
  const char* text = nullptr;
  cuda_.error_string(result, &text);
  throw std::runtime_error(std::string(call) + ": " +
                           (text == nullptr ? "CUDA error " + std::to_string(result) : text));
}

}  // namespace muster::preflight::nccl
