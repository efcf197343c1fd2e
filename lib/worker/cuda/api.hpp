// The functions of CUDA's driver (libcuda.so.1) with which a rank finds its GPU. A plain table, so that
// tests can fill it with a double. Declared here, so the build does not need cuda.h.
#pragma once

#include <array>
#include <optional>
#include <string>

namespace muster::worker::cuda {

using CudaResult = int;
inline constexpr CudaResult cuda_success = 0;
inline constexpr CudaResult cuda_no_device = 100;

using CudaDevice = int;
struct CudaContextOpaque;
using CudaContext = CudaContextOpaque*;
struct CudaUuid {
  std::array<unsigned char, 16> bytes;
};

struct CudaApi {
  CudaResult (*init)(unsigned) = nullptr;
  CudaResult (*driver_version)(int*) = nullptr;
  CudaResult (*device_count)(int*) = nullptr;
  CudaResult (*device_get)(CudaDevice*, int) = nullptr;
  CudaResult (*bus_id)(char*, int, CudaDevice) = nullptr;
  CudaResult (*uuid)(CudaUuid*, CudaDevice) = nullptr;  // null with drivers before 9.2
  CudaResult (*context_get)(CudaContext*) = nullptr;
  CudaResult (*context_set)(CudaContext) = nullptr;
  CudaResult (*context_device)(CudaDevice*) = nullptr;
  CudaResult (*primary_retain)(CudaContext*, CudaDevice) = nullptr;
  CudaResult (*primary_release)(CudaDevice) = nullptr;
  CudaResult (*error_string)(CudaResult, const char**) = nullptr;
};

// No value, but the reason, on a machine without a driver: that is an error only if a GPU is needed.
struct OpenedCuda {
  std::optional<CudaApi> api;
  std::string why_not;
};
OpenedCuda open_cuda();

}  // namespace muster::worker::cuda
