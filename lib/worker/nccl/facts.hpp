// What a rank reports about itself before NCCL starts: enough to detect, before anything can hang,
// that the ranks do not fit together. A root's first rank may add its id.
//
//   offset size                                  offset size
//   0      1   format (2)                        32     8   host, as NCCL tells hosts apart
//   1      1   state of the GPU                  40     16  UUID of the GPU
//   2      1   bit 0: shared GPUs are wanted,    56     16  PCI bus ID as text, zero-padded
//              bit 1: the id failed,             72     .   note: why the id or the GPU failed
//              bit 2: NCCL_HOSTID is set         .      .   0 or 128 bytes: ncclUniqueId
//   3      1   length of the note
//   4      4   NCCL's version, 0 for none
//   8      4   CUDA that the driver is for
//   12     4   CUDA that the program needs
//   16     4   generation
//   20     4   roots
//   24     4   index of the GPU
//   28     2   GPUs that the rank sees
//   30     2   ranks on the rank's node, 0 if that is not known
//
// Little-endian.
#pragma once

#include "worker/cuda/gpu.hpp"
#include "worker/nccl/abi.hpp"
#include "worker/record.hpp"

#include <optional>
#include <string>

namespace muster::worker::nccl {

struct RankFacts {
  int nccl_version = 0;
  int cuda_needed = 0;
  std::uint32_t generation = 0;
  int roots = 1;
  bool shared_gpu = false;
  std::uint64_t host_hash = 0;
  bool host_chosen = false;  // by NCCL_HOSTID: several nodes may then have the same value
  int node_ranks = 0;        // 0: not known
  cuda::Gpu gpu;
  std::string no_id;  // why a root's first rank could not make its id
  std::optional<NcclUniqueId> id;
};

inline constexpr std::size_t max_note = 200;

Bytes encode(const RankFacts& facts);

// Throws Error (mismatch); `rank` and its node are for the message.
RankFacts decode_facts(std::span<const std::byte> bytes, int rank, const NodeOf& node_of);

}  // namespace muster::worker::nccl
