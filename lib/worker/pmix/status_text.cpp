#include "worker/pmix/status_text.hpp"

namespace muster::worker::pmix {
namespace {

const char* meaning(Status status) {
  switch (status) {
    case status::timeout:
      return "Slurm's own limit, PMIxTimeout in mpi.conf or SLURM_PMIX_TIMEOUT (300 s by "
             "default), expired before this call's";
    case status::partial_success:
      return "a rank left or died before it arrived";
    case status::unpack_past_end:
    case status::lost_connection:
      return "a rank on this node died, or slurmstepd is gone";
    case status::communication_failure:
    case status::unreachable:
      return "slurmstepd cannot be reached";
    case status::no_permission:
      return "slurmstepd refuses this user";
    case status::not_supported:
      return "Slurm's PMIx plugin does not support this operation";
    case status::init:
      return "PMIx is not, or no longer, initialized";
    case status::out_of_memory:
      return "out of memory";
    default:
      return "";
  }
}

}  // namespace

muster_status status_of(Status status) {
  switch (status) {
    case status::timeout:
      return MUSTER_ERR_TIMEOUT;
    case status::partial_success:
    case status::unpack_past_end:
    case status::lost_connection:
      return MUSTER_ERR_PEER;
    case status::out_of_memory:
      return MUSTER_ERR_MEMORY;
    default:
      return MUSTER_ERR_TRANSPORT;
  }
}

std::string status_text(const PmixApi& api, Status status) {
  const char* name = api.error_string(status);
  const std::string text = meaning(status);
  return std::string{"PMIx says "} + (name == nullptr ? "?" : name) + " (" +
         std::to_string(status) + ")" + (text.empty() ? "" : ": " + text);
}

std::string init_status_text(const PmixApi& api, Status status) {
  return "PMIx_Init of " + api.path + " failed: " + status_text(api, status) +
         "; a container must share its node's network and " +
         "/tmp, and this libpmix must match Slurm's (srun --mpi=list)";
}

}  // namespace muster::worker::pmix
