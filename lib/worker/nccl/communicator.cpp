#include "worker/nccl/communicator.hpp"

#include "worker/error.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

namespace muster::worker::nccl {
namespace {

// A communicator of a few ranks is ready in milliseconds, one of thousands in seconds.
constexpr std::chrono::microseconds first_interval{50};
constexpr std::chrono::microseconds max_interval{10'000};

class Poll {
 public:
  void wait(const Deadline& deadline) {
    const auto left = std::chrono::duration_cast<std::chrono::microseconds>(deadline.left());
    std::this_thread::sleep_for(std::min(interval_, left));
    interval_ = std::min(interval_ * 3 / 2, max_interval);
  }

 private:
  std::chrono::microseconds interval_ = first_interval;
};

bool refused(NcclResult result) {
  return result != nccl_success && result != nccl_in_progress;
}

std::string reason(const NcclApi& nccl, NcclComm* comm, NcclResult result) {
  std::string text = nccl.get_error_string(result);
  const char* const last = nccl.get_last_error(comm);
  if (last != nullptr && *last != '\0') text += std::string{"; NCCL's last error: "} + last;
  return text;
}

[[noreturn]] void failed(const NcclApi& nccl, NcclComm* comm, NcclResult result,
                         const std::string& what, const std::string& who,
                         const Deadline& deadline) {
  throw Error{MUSTER_ERR_NCCL, what + " failed on " + who + " after " + deadline.elapsed() + ": " +
                                   reason(nccl, comm, result) +
                                   "; NCCL_DEBUG=INFO shows what NCCL did"};
}

[[noreturn]] void too_late(const NcclApi& nccl, NcclComm* comm, const std::string& what,
                           const std::string& who, const Deadline& deadline) {
  const char* const last = nccl.get_last_error(comm);
  const bool said = last != nullptr && *last != '\0';
  throw Error{MUSTER_ERR_TIMEOUT,
              what + " has not finished on " + who + " after " + deadline.elapsed() +
                  (said ? std::string{": NCCL's last error: "} + last
                        : std::string{": a rank is missing, or the network blocks NCCL's "
                                      "sockets (NCCL_SOCKET_IFNAME)"}) +
                  "; NCCL_DEBUG=INFO on all ranks shows where each one is"};
}

// Where NCCL writes the child of a split once the split is done. After a failed split, NCCL may still write
// there at any time until the parent is aborted, so this memory is never freed.
struct ChildPlace {
  NcclComm* child = nullptr;
  ChildPlace* next = nullptr;
};

void keep_forever(std::unique_ptr<ChildPlace> place) {
  static std::mutex mutex;
  static ChildPlace* kept = nullptr;
  const std::lock_guard lock{mutex};
  place->next = kept;
  kept = place.release();
}

NcclComm* child_of(const NcclApi& nccl, NcclComm* parent, int colour, int key, NcclConfig* config,
                   const std::string& what, const std::string& who, const Deadline& deadline) {
  auto place = std::make_unique<ChildPlace>();
  try {
    const auto result = nccl.split(parent, colour, key, &place->child, config);
    if (refused(result)) failed(nccl, parent, result, what, who, deadline);
    // The child exists once the parent has finished the split.
    wait_for(nccl, parent, what, who, deadline);
  } catch (...) {
    keep_forever(std::move(place));
    throw;
  }
  return place->child;
}

}  // namespace

void Communicator::abort() {
  if (comm_ != nullptr) nccl_->abort(std::exchange(comm_, nullptr));
}

void wait_for(const NcclApi& nccl, NcclComm* comm, const std::string& what, const std::string& who,
              const Deadline& deadline) {
  for (Poll poll;; poll.wait(deadline)) {
    NcclResult state = nccl_in_progress;
    const auto asked = nccl.get_async_error(comm, &state);
    if (refused(asked)) failed(nccl, comm, asked, what, who, deadline);
    if (refused(state)) failed(nccl, comm, state, what, who, deadline);
    if (state == nccl_success) return;
    if (deadline.passed()) too_late(nccl, comm, what, who, deadline);
  }
}

Communicator make_communicator(const NcclApi& nccl, const Membership& me,
                               std::span<NcclUniqueId> ids, NcclConfig config,
                               const Deadline& deadline) {
  const std::string what =
      "NCCL's init of " + std::to_string(me.size) + (me.size == 1 ? " rank" : " ranks");
  if (ids.size() > 1 && nccl.init_rank_scalable == nullptr) {
    throw Error{MUSTER_ERR_ARGUMENT,
                std::to_string(ids.size()) + " NCCL roots need NCCL 2.23, and " + me.who + " has " +
                    version_text(nccl.version) + ": set roots to 1, or use a newer NCCL"};
  }
  NcclComm* made = nullptr;
  const auto result =
      nccl.init_rank_scalable != nullptr
          ? nccl.init_rank_scalable(&made, me.size, me.rank, static_cast<int>(ids.size()),
                                    ids.data(), &config)
          : nccl.init_rank_config(&made, me.size, ids.front(), me.rank, &config);
  Communicator comm{nccl, made};
  if (refused(result) || made == nullptr) failed(nccl, made, result, what, me.who, deadline);
  wait_for(nccl, made, what, me.who, deadline);
  return comm;
}

Communicator split_communicator(const NcclApi& nccl, NcclComm* parent, int colour, int key,
                                NcclConfig* config, const std::string& who,
                                const Deadline& deadline) {
  const std::string what = "ncclCommSplit";
  Communicator child{nccl, child_of(nccl, parent, colour, key, config, what, who, deadline)};
  if (colour == nccl_no_colour) return child;
  if (child.get() == nullptr) failed(nccl, parent, nccl_success, what, who, deadline);
  wait_for(nccl, child.get(), what, who, deadline);
  return child;
}

void destroy_communicator(const NcclApi& nccl, NcclComm* comm, const std::string& who,
                          const Deadline& deadline) {
  Communicator owned{nccl, comm};
  const std::string what = "closing an NCCL communicator";
  wait_for(nccl, comm, what, who, deadline);
  const auto finalized = nccl.finalize(comm);
  if (refused(finalized)) failed(nccl, comm, finalized, what, who, deadline);
  wait_for(nccl, comm, what, who, deadline);
  const auto destroyed = nccl.destroy(owned.release());
  if (refused(destroyed)) failed(nccl, nullptr, destroyed, what, who, deadline);
}

}  // namespace muster::worker::nccl
