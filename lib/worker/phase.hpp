// One collective step and its checks: each rank contributes one record, and the records that it reads must
// belong to the same call.
//
// A rank checks the records that it reads, and always that of its predecessor. If every rank agrees with
// its predecessor, all agree. So one more record per rank is enough to find any rank that is in another
// call, and no rank has to read all records.
#pragma once

#include "worker/record.hpp"
#include "worker/times.hpp"
#include "worker/transport.hpp"

#include <span>
#include <string>
#include <vector>

namespace muster::worker {

// What must be the same on every rank.
struct Call {
  std::string tag;   // "barrier", "exchange:shapes": at most MUSTER_MAX_TAG + 16 bytes
  std::string what;  // the same for messages: "exchange 'shapes'"
  std::uint32_t expected = any_size;
  Times::Kind kind = Times::Kind::work_call;
};

// The rank before this one; for the first rank, the last one. A rank that is alone is its own predecessor.
int predecessor(const RankInfo& info);

// Runs the phases of one transport, and numbers them.
class Phases {
 public:
  explicit Phases(Transport& transport) : transport_(transport) {}

  // The records of the wanted ranks, in that order. Throws Error.
  std::vector<Record> run(const Call& call, std::span<const std::byte> payload,
                          std::span<const int> wanted, const Deadline& deadline);

  // How many phases there have been so far.
  std::uint32_t count() const { return count_; }

 private:
  std::vector<int> to_read(std::span<const int> wanted) const;
  void check(const Record& theirs, const Record& mine, int rank, const Call& call) const;

  Transport& transport_;
  std::uint32_t count_ = 0;
};

}  // namespace muster::worker
