// NCCL_COMM_ID, the address by which NCCL used to find rank 0 without ids being sent. It breaks
// what is done here: ncclGetUniqueId() then gives this address and opens nothing, and with several
// roots rank 0 alone goes back to one. So it is taken out of the environment of a process that asks
// for ids here, for good: a caller may init a communicator with them much later.
#pragma once

namespace muster::worker::nccl {

// True if it was set. NCCL reads its files (/etc/nccl.conf) into the environment at its first call,
// so this is to be asked before and after that.
bool forget_comm_id_variable();

}  // namespace muster::worker::nccl
