// How ranks reach each other: by PMIx, over TCP, or not at all. One interface, three
// implementations (pmix/, tcp/, single.hpp). A transport moves bytes and knows which ranks are
// missing; phase.cpp knows what the bytes mean and whether ranks agree.
//
// Ranks here are in the numbering in use (RankInfo::rank). Every function may throw Error, whose
// text names the phase, the time since its start and, if they are known, the missing ranks and
// their nodes.
#pragma once

#include "muster/muster.h"
#include "worker/deadline.hpp"
#include "worker/rank_info.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::worker {

using Bytes = std::vector<std::byte>;

// One collective step. All ranks count their phases alike: 1, 2, ...
struct Phase {
  std::uint32_t number = 0;
  std::string what;  // for messages: "barrier", "exchange 'shapes'", "NCCL ids"
};

class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;  // must not block or throw

  virtual muster_transport kind() const = 0;
  virtual const RankInfo& rank_info() const = 0;

  // Contributes `mine` (never empty) and returns what the `wanted` ranks contributed in the same phase, in
  // that order. Returns on no rank before every rank has made this call. If a rank does not make it by the
  // deadline, has died or has left, throws Error with timeout or peer. After an Error only the functions
  // below are called.
  virtual std::vector<Bytes> exchange(const Phase& phase, std::span<const std::byte> mine,
                                      std::span<const int> wanted, const Deadline& deadline) = 0;

  // The ranks on this node, including this one, in ascending order; empty if unknown.
  virtual std::vector<int> local_ranks() const = 0;

  // The name of a rank's node; empty if unknown. For messages, so it never waits.
  virtual std::string node_of(int rank) const = 0;

  // Reads once more what a rank contributed to the last phase, without that rank's help; no value if that is
  // impossible.
  virtual std::optional<Bytes> recall(int rank, const Deadline& deadline) {
    static_cast<void>(rank), static_cast<void>(deadline);
    return std::nullopt;
  }

  // Asks the launcher to end all ranks. Returns once the request has been made, or not at all.
  virtual void abort(int code, const std::string& reason, const Deadline& deadline) = 0;

  // Leaves the step cleanly. Called once, and not after a failed exchange.
  virtual void finalize(const Deadline& deadline) = 0;
};

}  // namespace muster::worker
