// How every rank of a large step learns about another rank's fault before NCCL starts, although no rank
// reads the facts of all ranks.
//
// Ranks are divided into shares of up to 128 consecutive ranks; the first rank of a share is its checker.
// In the first phase, each checker reads its share's facts and judges them. In the second phase, the
// checkers give their verdicts, the makers of ids add these to their ids, and every rank reads both: one
// record for 128 ranks. Two kinds of fault do not show within a share. Values that must be equal on all
// ranks are therefore compared between the checkers. And two ranks of one host that are in different shares
// may use the same GPU, so the verdict lists the GPUs of hosts that may have ranks outside the share. If
// ranks are placed node by node, these are at most the first and the last host.
//
//   offset size                                  offset size
//   0      1   format (1)                        12    .   line of the fault
//   1      1   status of the fault, 0 for none   .     .   facts of the giver, its id too
//   2      2   length of the fault's line        .     .   GPUs, each:
//   4      2   length of the giver's facts                 4   rank
//   6      2   GPUs listed                                 8   host
//   8      4   zero                                        1   bit 0: shared GPUs are wanted
//                                                          1   length of the node's name
//                                                          16  PCI bus ID, zero-padded
//                                                          16  UUID
//                                                          .   the node's name
#pragma once

#include "worker/error.hpp"
#include "worker/nccl/checks.hpp"
#include "worker/nccl/facts.hpp"
#include "worker/nccl/roots.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::worker::nccl {

inline constexpr int max_share = 128;
inline constexpr std::size_t max_fault_line = 1000;
inline constexpr std::size_t max_node_name = 255;

// Every rank has the same checkers, whatever roots it uses.
Roots shares_of(int size);

// A GPU on a host that may also have ranks in other shares.
struct ListedGpu {
  SeenRank seen;  // from the facts: host_hash, shared_gpu and the GPU
  std::string node;
};

struct Verdict {
  std::optional<Error> fault;
  RankFacts own;  // facts of the rank that gives the verdict
  std::vector<ListedGpu> gpus;
};

struct GivenVerdict {
  int rank = 0;
  Verdict verdict;
};

// A checker's verdict, from the facts of its share. `mine` is one of them.
Verdict judge(std::span<const SeenRank> share, const SeenRank& mine, const NodeOf& node_of);

// The result of all verdicts: the first fault. It is the same on every rank, unless the fault involves this
// rank itself.
std::optional<Error> fault(std::span<const GivenVerdict> verdicts, const SeenRank& mine,
                           const NodeOf& node_of);

Bytes encode(const Verdict& verdict);

// Throws Error (mismatch); `rank` and its node are for the message.
Verdict decode_verdict(std::span<const std::byte> bytes, int rank, const NodeOf& node_of);

}  // namespace muster::worker::nccl
