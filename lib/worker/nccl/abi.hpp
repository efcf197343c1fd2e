// The part of NCCL's C interface that is used here, declared here, so the build does not need nccl.h, and one
// libmuster serves NCCL 2.18 and later. If nccl.h is available, a test compares the two.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace muster::worker::nccl {

struct NcclComm;  // ncclComm_t is a pointer to it

// ncclUniqueId.
struct NcclUniqueId {
  std::array<char, 128> internal;
};

// ncclResult_t: a plain C enum, which an int can hold on every ABI that NCCL is built for.
using NcclResult = int;
inline constexpr NcclResult nccl_success = 0;
inline constexpr NcclResult nccl_remote_error = 6;
inline constexpr NcclResult nccl_in_progress = 7;

// NCCL_SPLIT_NOCOLOR.
inline constexpr int nccl_no_colour = -1;

// NCCL_VERSION(2, minor, patch), for 2.9 and later.
constexpr int nccl_version(int minor, int patch = 0) {
  return 20000 + 100 * minor + patch;
}
inline constexpr int nccl_oldest =
    nccl_version(18);  // ncclCommSplit, and all fields up to splitShare
inline constexpr int nccl_scalable = nccl_version(23);  // ncclCommInitRankScalable

using NcclGetVersion = NcclResult (*)(int*);
using NcclGetUniqueId = NcclResult (*)(NcclUniqueId*);
using NcclCommInitRankConfig = NcclResult (*)(NcclComm**, int, NcclUniqueId, int, void*);
using NcclCommInitRankScalable = NcclResult (*)(NcclComm**, int, int, int, NcclUniqueId*, void*);
using NcclCommSplit = NcclResult (*)(NcclComm*, int, int, NcclComm**, void*);
using NcclCommGetAsyncError = NcclResult (*)(NcclComm*, NcclResult*);
using NcclCommEnd = NcclResult (*)(NcclComm*);  // finalize, destroy, abort
using NcclGetErrorString = const char* (*)(NcclResult);
using NcclGetLastError = const char* (*)(NcclComm*);

}  // namespace muster::worker::nccl
