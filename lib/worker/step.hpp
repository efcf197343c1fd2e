// The contents of a muster_t: this process as one rank of its step, from init to finalize.
#pragma once

#include "muster/muster.h"
#include "worker/deadline.hpp"
#include "worker/phase.hpp"
#include "worker/times.hpp"
#include "worker/transport.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

namespace muster::worker {

class Step {
 public:
  // `times` must outlive the step; without it nothing is recorded.
  Step(std::unique_ptr<Transport> transport, std::chrono::milliseconds timeout,
       Times* times = nullptr);

  const RankInfo& rank_info() const { return transport_->rank_info(); }
  Transport& transport() { return *transport_; }
  const Transport& transport() const { return *transport_; }

  Times& times() { return times_ == nullptr ? no_times_ : *times_; }

  // The deadline of a call with this `timeout_ms`. Throws Error if it is out of range.
  Deadline deadline(int timeout_ms) const;

  // Runs a phase. If it fails, no other phase can follow. The records are valid until the next phase.
  const std::vector<Record>& run(const Call& call, std::span<const std::byte> payload,
                                 std::span<const int> wanted, const Deadline& deadline);

  // Throws Error if a collective call has failed.
  void check_usable() const;
  // Makes further collective calls impossible; `why` is the failure.
  void fail(const std::string& why) { failed_since_ = why; }

  void check_rank(int rank) const;
  muster_endpoint endpoint(int rank, const Deadline& deadline);
  void finalize(const Deadline& deadline);

  // The process that called muster_init(), not a fork of it.
  pid_t owner() const { return owner_; }
  std::atomic<bool>& busy() { return busy_; }

 private:
  void remember(std::span<const int> ranks);

  std::unique_ptr<Transport> transport_;
  Phases phases_;
  std::chrono::milliseconds timeout_;
  Times* times_;
  Times no_times_;
  std::vector<Record> records_;
  std::map<int, std::string> addresses_;  // addresses of the ranks that the last phase read
  std::string failed_since_;
  pid_t owner_;
  std::atomic<bool> busy_{false};
};

// `timeout_ms` in milliseconds, or `standard` if it is MUSTER_DEFAULT. Throws Error.
std::chrono::milliseconds checked_timeout(int timeout_ms, std::chrono::milliseconds standard);

}  // namespace muster::worker
