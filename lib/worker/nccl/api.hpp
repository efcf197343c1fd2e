// The functions of the NCCL that is in the process, or that can be opened. A plain table, so that tests can
// fill it with a double.
#pragma once

#include "worker/environment.hpp"
#include "worker/nccl/abi.hpp"

#include <string>

namespace muster::worker::nccl {

struct NcclApi {
  int version = 0;   // as ncclGetVersion() returns it: 22809
  std::string path;  // where the library is, for messages

  NcclGetVersion get_version = nullptr;
  NcclGetUniqueId get_unique_id = nullptr;
  NcclCommInitRankConfig init_rank_config = nullptr;
  NcclCommInitRankScalable init_rank_scalable = nullptr;  // null before 2.23
  NcclCommSplit split = nullptr;
  NcclCommGetAsyncError get_async_error = nullptr;
  NcclCommEnd finalize = nullptr;
  NcclCommEnd destroy = nullptr;
  NcclCommEnd abort = nullptr;
  NcclGetErrorString get_error_string = nullptr;
  NcclGetLastError get_last_error = nullptr;
};

// Opens NCCL for good, because dlclose() could not end NCCL's own threads. Searches in this order: the
// library that is already in this process, whatever loaded it (torch, JAX, the program itself);
// MUSTER_NCCL_LIBRARY; libnccl.so.2 by the loader's rules. Throws Error (library).
NcclApi open_nccl(const Environment& environment);

// Formats 22809 as "2.28.9".
std::string version_text(int version);

}  // namespace muster::worker::nccl
