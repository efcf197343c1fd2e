#include "worker/step.hpp"

#include "worker/error.hpp"

#include <algorithm>
#include <cstring>

#include <unistd.h>

namespace muster::worker {
namespace {

constexpr int max_timeout_ms = 24 * 60 * 60 * 1000;

// Truncated at the end of the array: neither Slurm's names nor addresses are longer.
template <std::size_t N>
void copy_text(char (&to)[N], std::string_view from) {
  const auto length = std::min(from.size(), N - 1);
  std::memcpy(to, from.data(), length);
  to[length] = '\0';
}

}  // namespace

std::chrono::milliseconds checked_timeout(int timeout_ms, std::chrono::milliseconds standard) {
  if (timeout_ms == MUSTER_DEFAULT) return standard;
  if (timeout_ms > 0 && timeout_ms <= max_timeout_ms) {
    return std::chrono::milliseconds{timeout_ms};
  }
  throw Error{MUSTER_ERR_ARGUMENT, "timeout_ms is " + std::to_string(timeout_ms) +
                                       ": use 1 ms to 24 hours, or MUSTER_DEFAULT"};
}

Step::Step(std::unique_ptr<Transport> transport, std::chrono::milliseconds timeout, Times* times)
    : transport_(std::move(transport)),
      phases_(*transport_),
      timeout_(timeout),
      times_(times),
      owner_(::getpid()) {}

Deadline Step::deadline(int timeout_ms) const {
  return Deadline{checked_timeout(timeout_ms, timeout_)};
}

void Step::check_usable() const {
  if (failed_since_.empty()) return;
  throw Error{MUSTER_ERR_STATE,
              "no further collective calls are possible, because this failed: " + failed_since_};
}

void Step::check_rank(int rank) const {
  if (rank >= 0 && rank < rank_info().size) return;
  const auto last = rank_info().size - 1;
  throw Error{MUSTER_ERR_ARGUMENT,
              "there is no rank " + std::to_string(rank) + ": the step has " +
                  (last == 0 ? "rank 0 only" : "ranks 0 to " + std::to_string(last))};
}

const std::vector<Record>& Step::run(const Call& call, std::span<const std::byte> payload,
                                     std::span<const int> wanted, const Deadline& deadline) {
  check_usable();
  for (const int rank : wanted) check_rank(rank);
  try {
    records_ = times().phase(call.kind, call.what,
                             [&] { return phases_.run(call, payload, wanted, deadline); });
    remember(wanted);
  } catch (const std::exception& error) {
    fail(error.what());
    throw;
  }
  return records_;
}

void Step::remember(std::span<const int> ranks) {
  addresses_.clear();
  for (std::size_t i = 0; i < ranks.size(); ++i) addresses_[ranks[i]] = records_[i].address;
}

muster_endpoint Step::endpoint(int rank, const Deadline& deadline) {
  check_rank(rank);
  muster_endpoint endpoint{};
  std::string address;
  if (rank == rank_info().rank) {
    address = rank_info().address;
  } else if (const auto found = addresses_.find(rank); found != addresses_.end()) {
    address = found->second;
  } else if (const auto bytes = transport_->recall(rank, deadline)) {
    address = decode(*bytes, rank, [&](int of) { return transport_->node_of(of); }).address;
  } else {
    throw Error{MUSTER_ERR_NOT_FOUND,
                "nothing is known about rank " + std::to_string(rank) +
                    " yet: ask after a collective call (over TCP, one that reads from that rank)"};
  }
  copy_text(endpoint.node, rank == rank_info().rank ? rank_info().node : transport_->node_of(rank));
  copy_text(endpoint.address, address);
  return endpoint;
}

void Step::finalize(const Deadline& deadline) {
  // Whatever has failed, this rank does not wait for the others.
  if (failed_since_.empty()) {
    times().phase(Times::Kind::own, "leave", [&] { transport_->finalize(deadline); });
  }
  times().write();
}

}  // namespace muster::worker
