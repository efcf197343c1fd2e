// One collective step with everything that must hold for it: each rank gives one record, and what
// is read of others has to be of the same call.
//
// Who checks what: a rank checks the records that it reads, and always its predecessor's. If every
// rank agrees with its predecessor, all agree. So one record more per rank finds any rank that is
// in another call, and nobody has to read all of them.
#pragma once

#include "worker/record.hpp"
#include "worker/transport.hpp"

#include <span>
#include <string>
#include <vector>

namespace muster::worker {

// What every rank has to say alike.
struct Call {
  std::string tag;   // "barrier", "exchange:shapes": at most MUSTER_MAX_TAG + 16 bytes
  std::string what;  // the same for people: "exchange 'shapes'"
  std::uint32_t expected = any_size;
};

// The rank before this one, the last before the first; this one if it is alone.
int predecessor(const RankInfo& info);

// Numbers the phases of one transport, and remembers where the ranks are that it has read.
class Phases {
 public:
  explicit Phases(Transport& transport) : transport_(transport) {}

  // The records of the wanted ranks, in that order. Throws Error.
  std::vector<Record> run(const Call& call, std::span<const std::byte> payload,
                          std::span<const int> wanted, const Deadline& deadline);

  // How many there were.
  std::uint32_t count() const { return count_; }

 private:
  std::vector<int> to_read(std::span<const int> wanted) const;
  void check(const Record& theirs, const Record& mine, int rank, const Call& call) const;

  Transport& transport_;
  std::uint32_t count_ = 0;
};

}  // namespace muster::worker
