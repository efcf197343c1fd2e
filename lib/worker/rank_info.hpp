// This process as one rank of its step.
#pragma once

#include <string>

namespace muster::worker {

inline constexpr int unknown = -1;
inline constexpr int max_size = 1 << 24;  // the most ranks in a step: far above Slurm's limit

struct RankInfo {
  int rank = 0;  // its rank in the numbering in use
  int size = 1;
  int procid = unknown;           // its rank in Slurm's numbering
  int contiguous_rank = unknown;  // node by node
  int local_rank = unknown;
  int local_size = unknown;
  int node_rank = unknown;
  int node_count = unknown;
  std::string node;     // this node's name in Slurm, or the host name
  std::string address;  // numeric; where other ranks can reach this one
};

}  // namespace muster::worker
