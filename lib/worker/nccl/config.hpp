// ncclConfig_t of every NCCL version since 2.18. It has only ever grown at its end, and `size` and `version`
// say how much of it each side knows. So one structure, that of the newest version that we know, serves all
// versions: an older library reads the part that it knows, and a newer one uses its defaults for the rest.
#pragma once

#include "muster/muster.h"
#include "worker/nccl/abi.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace muster::worker::nccl {

// "Not given", both for NCCL and for muster.
inline constexpr int nccl_unset = MUSTER_UNSET;

struct NcclConfig {
  std::size_t size = sizeof(NcclConfig) - tail_bytes;
  std::uint32_t magic = 0xcafebeef;
  std::uint32_t version = nccl_version(32);

  int blocking = nccl_unset;
  int cga_cluster_size = nccl_unset;
  int min_ctas = nccl_unset;
  int max_ctas = nccl_unset;
  const char* net_name = nullptr;
  int split_share = nccl_unset;
  int traffic_class = nccl_unset;   // 2.26
  const char* comm_name = nullptr;  // this and the following fields: since 2.27
  int collnet_enable = nccl_unset;
  int cta_policy = nccl_unset;
  int shrink_share = nccl_unset;
  int nvls_ctas = nccl_unset;
  int channels_per_net_peer = nccl_unset;  // 2.28
  int nvlink_centric_sched = nccl_unset;   // 2.28
  int graph_usage_mode = nccl_unset;       // 2.29
  int rma_contexts = nccl_unset;           // 2.29
  int max_p2p_peers = nccl_unset;          // 2.30
  int graph_stream_ordering = nccl_unset;  // 2.30.5
  int launch_order_implicit = nccl_unset;  // this and the following fields: since 2.31
  int rma_signals = nccl_unset;
  int rma_eager_init = nccl_unset;
  int host_cft_mode = nccl_unset;
  int nvls_host_mode = nccl_unset;  // 2.32
  int next = nccl_unset;            // padding in 2.32

  // Space for the fields of a program built with a newer nccl.h, which are passed on unchanged.
  static constexpr std::size_t tail_bytes = 392;
  std::array<std::byte, tail_bytes> tail{};
};

// Takes the program's own configuration, overrides it with the fields given by name, and makes it
// non-blocking, for the NCCL that is loaded (`version`). Names are kept for the life of the process,
// because NCCL keeps pointers to them. Throws Error (argument).
NcclConfig make_config(const muster_nccl_options& options, int version);

// Whether there is anything to configure. If not, a split uses its parent's configuration.
bool asks_for_config(const muster_nccl_options& options);

}  // namespace muster::worker::nccl
