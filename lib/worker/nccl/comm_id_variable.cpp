#include "worker/nccl/comm_id_variable.hpp"

#include <cstdlib>

namespace muster::worker::nccl {

bool forget_comm_id_variable() {
  constexpr const char* name = "NCCL_COMM_ID";
  if (std::getenv(name) == nullptr) return false;  // NOLINT(concurrency-mt-unsafe)
  ::unsetenv(name);                                // NOLINT(concurrency-mt-unsafe)
  return true;
}

}  // namespace muster::worker::nccl
