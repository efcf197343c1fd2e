// UUIDs among the names of GPUs, which may also be numbers.
#pragma once

#include <string_view>

namespace muster::resources {

// A MIG instance of an NVIDIA GPU.
inline bool is_mig(std::string_view name) {
  return name.starts_with("MIG-");
}

// A whole GPU or a MIG instance.
inline bool is_uuid(std::string_view name) {
  return name.starts_with("GPU-") || is_mig(name);
}

}  // namespace muster::resources
