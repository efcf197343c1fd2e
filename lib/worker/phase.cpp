#include "worker/phase.hpp"

#include "worker/error.hpp"
#include "worker/one_line.hpp"
#include "worker/version.hpp"

#include <algorithm>
#include <iterator>

namespace muster::worker {
namespace {

std::string name_of(const Transport& transport, int rank) {
  const auto node = transport.node_of(rank);
  return "rank " + std::to_string(rank) + (node.empty() ? "" : " (" + node + ")");
}

std::string release(std::uint16_t version) {
  return std::to_string(version / 100) + "." + std::to_string(version % 100);
}

[[noreturn]] void differ(const std::string& text) {
  throw Error{MUSTER_ERR_MISMATCH, text};
}

}  // namespace

int predecessor(const RankInfo& info) {
  return (info.rank + info.size - 1) % info.size;
}

std::vector<int> Phases::to_read(std::span<const int> wanted) const {
  const auto& info = transport_.rank_info();
  std::vector<int> ranks;
  ranks.reserve(wanted.size() + 1);
  std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(ranks),
               [&](int rank) { return rank != info.rank; });
  if (predecessor(info) != info.rank) ranks.push_back(predecessor(info));
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

void Phases::check(const Record& theirs, const Record& mine, int rank, const Call& call) const {
  // Over PMIx, a name costs a query, so it is looked up only for a message.
  const auto they = [&] { return name_of(transport_, rank); };
  if (theirs.version != mine.version) {
    differ(they() + " has muster " + release(theirs.version) + ", and this rank, " +
           std::to_string(mine.rank) + ", has " + release(mine.version) +
           ": use the same muster release on every rank");
  }
  if (theirs.size != mine.size) {
    differ(they() + " expects " + std::to_string(theirs.size) +
           (theirs.size == 1 ? " rank" : " ranks") + ", and this rank, " +
           std::to_string(mine.rank) + ", expects " + std::to_string(mine.size) +
           ": start all ranks with one srun and the same WORLD_SIZE");
  }
  if (theirs.rank != rank) {
    differ(they() + " calls itself rank " + std::to_string(theirs.rank) +
           ": use the same numbering on all ranks");
  }
  if (theirs.phase != mine.phase || theirs.tag != mine.tag) {
    differ(they() + " is in call " + std::to_string(theirs.phase) + ", " + one_line(theirs.tag) +
           ", and this rank, " + std::to_string(mine.rank) + ", in call " +
           std::to_string(mine.phase) + ", " + one_line(mine.tag) +
           ": every rank must make the same calls in the same order");
  }
  if (theirs.expected != mine.expected) {
    differ(they() + " called " + call.what + " with " + std::to_string(theirs.expected) +
           (theirs.expected == 1 ? " byte" : " bytes") + ", and this rank, " +
           std::to_string(mine.rank) + ", with " + std::to_string(mine.expected) +
           ": the size must be the same on every rank");
  }
}

std::vector<Record> Phases::run(const Call& call, std::span<const std::byte> payload,
                                std::span<const int> wanted, const Deadline& deadline) {
  const auto& info = transport_.rank_info();
  Record mine{.version = record_version,
              .phase = ++count_,
              .rank = info.rank,
              .size = info.size,
              .expected = call.expected,
              .tag = call.tag,
              .address = info.address,
              .payload = {payload.begin(), payload.end()}};
  const auto ranks = to_read(wanted);
  const auto answers =
      transport_.exchange({.number = count_, .what = call.what}, encode(mine), ranks, deadline);

  const auto node_of = [&](int rank) { return transport_.node_of(rank); };
  std::vector<Record> read;
  read.reserve(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    read.push_back(decode(answers.at(i), ranks[i], node_of));
    check(read.back(), mine, ranks[i], call);
  }

  std::vector<Record> result;
  result.reserve(wanted.size());
  for (const int rank : wanted) {
    const auto at = std::lower_bound(ranks.begin(), ranks.end(), rank);
    result.push_back(rank == info.rank ? mine : read[static_cast<std::size_t>(at - ranks.begin())]);
  }
  return result;
}

}  // namespace muster::worker
