// Compiled only if cuda.h or nccl.h is found, and contains no code: checks that our declarations match
// theirs.
#include "launcher/tools/preflight/nccl/all_reduce.hpp"
#include "launcher/tools/preflight/nccl/cuda_driver.hpp"

#include <type_traits>

#if __has_include(<cuda.h>)
#include <cuda.h>
#endif
#if __has_include(<nccl.h>)
#include <nccl.h>
#endif

namespace muster::preflight::nccl {
namespace {

// The same number of parameters, each with the same size and equally a pointer or not; an enumeration counts
// as an int.
template <class Ours, class Theirs>
struct IsAlike : std::false_type {};
template <class Result, class... Parameters, class Theirs, class... TheirParameters>
requires(sizeof...(Parameters) ==
         sizeof...(TheirParameters)) struct IsAlike<Result (*)(Parameters...),
                                                    Theirs (*)(TheirParameters...)>
    : std::bool_constant<sizeof(Result) == sizeof(Theirs) &&
                         ((sizeof(Parameters) == sizeof(TheirParameters) &&
                           std::is_pointer_v<Parameters> ==
                               std::is_pointer_v<TheirParameters>)&&...)> {
};

template <class Ours, class Theirs>
[[maybe_unused]] constexpr bool alike(Ours /*ours*/, Theirs* /*theirs*/) {
  return IsAlike<Ours, Theirs*>::value;
}

#ifdef CUDA_VERSION
[[maybe_unused]] constexpr CudaFunctions cuda{};
static_assert(cuda_success == CUDA_SUCCESS && cuda_no_device == CUDA_ERROR_NO_DEVICE &&
              cuda_not_ready == CUDA_ERROR_NOT_READY);
static_assert(alike(cuda.init, &cuInit));
static_assert(alike(cuda.device_count, &cuDeviceGetCount));
static_assert(alike(cuda.device_get, &cuDeviceGet));
static_assert(alike(cuda.primary_retain, &cuDevicePrimaryCtxRetain));
static_assert(alike(cuda.primary_release, &cuDevicePrimaryCtxRelease));
static_assert(alike(cuda.context_set, &cuCtxSetCurrent));
static_assert(alike(cuda.stream_create, &cuStreamCreate));
static_assert(alike(cuda.stream_query, &cuStreamQuery));
static_assert(alike(cuda.allocate, &cuMemAlloc));
static_assert(alike(cuda.release, &cuMemFree));
static_assert(alike(cuda.to_gpu, &cuMemcpyHtoD));
static_assert(alike(cuda.from_gpu, &cuMemcpyDtoH));
static_assert(alike(cuda.error_string, &cuGetErrorString));
#endif

#ifdef NCCL_VERSION_CODE
static_assert(alike(AllReduceFunction{}, &ncclAllReduce));
static_assert(nccl_success == ncclSuccess && nccl_in_progress == ncclInProgress);
static_assert(nccl_float == ncclFloat && nccl_sum == ncclSum);
#endif

}  // namespace
}  // namespace muster::preflight::nccl
