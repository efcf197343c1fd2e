// NCCL_COMM_ID, the address by which NCCL used to find rank 0 without sending ids. It breaks the
// exchange here: ncclGetUniqueId() then returns this address and opens nothing, and with several
// roots only rank 0 goes back to one. So it is removed for good from the environment of a process
// that asks for ids here: a caller may init a communicator with them much later.
#pragma once

namespace muster::worker::nccl {

// True if it was set. NCCL reads its files (/etc/nccl.conf) into the environment at its first call,
// so call this before and after that.
bool forget_comm_id_variable();

}  // namespace muster::worker::nccl
