#include "launcher/os/rdma_devices.hpp"

#include <filesystem>
#include <system_error>

namespace muster::os {

bool has_rdma(const std::string& sys) {
  std::error_code error;
  for (const char* kind : {"infiniband", "cxi"}) {
    const auto devices = std::filesystem::path(sys) / "class" / kind;
    if (!std::filesystem::is_empty(devices, error) && !error) return true;
  }
  return false;
}

}  // namespace muster::os
