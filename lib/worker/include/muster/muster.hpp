// The C++ interface of libmuster: RAII over muster.h, whose comments apply here as well. Header only,
// C++20.
//
//     muster::Step step;
//     std::vector<int> everyone = step.everyone();
//     for (auto shape : step.exchange("shapes", std::as_bytes(std::span{mine}), everyone)) ...
//     auto comm = muster::nccl::Communicator{step};
//
// Errors: every function that can fail throws muster::Error, with the status and the line of muster.h.
// Destructors do not throw. Timeouts: 1 ms to 24 hours; without one, the step's timeout applies.
// Threads, deadlines and "collective": as in muster.h. Everything here exists since 0.1.
#ifndef MUSTER_MUSTER_HPP
#define MUSTER_MUSTER_HPP

#include "muster/muster.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace muster {

// what() is one line: what happened, why, what to do.
class Error : public std::runtime_error {
 public:
  Error(int status, const std::string& line)
      : std::runtime_error(line), status_(static_cast<muster_status>(status)) {}
  muster_status status() const noexcept { return status_; }

 private:
  muster_status status_;
};

// Throws the last error of this thread unless `status` is MUSTER_OK.
inline void check(int status) {
  if (status != MUSTER_OK) throw Error{status, muster_last_error()};
}

// nullopt: the step's own timeout.
using Timeout = std::optional<std::chrono::milliseconds>;

// Converts for muster.h. A value out of range stays out of range, so that the library refuses it.
inline int milliseconds(Timeout timeout) {
  if (!timeout) return MUSTER_DEFAULT;
  return timeout->count() > 0 && timeout->count() < INT32_MAX ? static_cast<int>(timeout->count())
                                                              : 0;
}

// See muster_options.
struct Options {
  Timeout timeout;  // nullopt: MUSTER_TIMEOUT seconds (environment), otherwise 300 s
  muster_transport transport = MUSTER_TRANSPORT_AUTO;
  muster_numbering numbering = MUSTER_RANKS_AUTO;
};

// Where a rank is; see muster_endpoint.
struct Endpoint {
  std::string node;
  std::string address;  // numeric
};

// This process as one rank of its step; a process has one Step at a time. Move-only: a moved-from
// Step may only be destroyed or assigned to. The destructor leaves the step and ignores errors;
// finalize() reports them.
class Step {
 public:
  explicit Step(const Options& options = {}) {
    muster_options raw = MUSTER_OPTIONS;
    raw.timeout_ms = milliseconds(options.timeout);
    raw.transport = options.transport;
    raw.numbering = options.numbering;
    check(muster_init(&handle_, &raw));
  }
  Step(Step&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Step& operator=(Step&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  ~Step() { muster_finalize(&handle_, MUSTER_DEFAULT); }

  // Leaves the step. Not collective, but call it after this rank's last collective call.
  void finalize(Timeout timeout = {}) { check(muster_finalize(&handle_, milliseconds(timeout))); }

  // -1 or "" if it is not known.
  int rank() const { return muster_rank(handle_); }
  int size() const { return muster_size(handle_); }
  int procid() const { return muster_procid(handle_); }
  int contiguous_rank() const { return muster_contiguous_rank(handle_); }
  int local_rank() const { return muster_local_rank(handle_); }
  int local_size() const { return muster_local_size(handle_); }
  int node_rank() const { return muster_node_rank(handle_); }
  int node_count() const { return muster_node_count(handle_); }
  std::string node_name() const { return handle_ == nullptr ? "" : muster_node_name(handle_); }
  muster_transport transport() const {
    return static_cast<muster_transport>(muster_transport_used(handle_));
  }

  // The ranks 0, 1, ... size() - 1.
  std::vector<int> everyone() const {
    std::vector<int> ranks(static_cast<std::size_t>(size()));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
  }

  // Collective. Shares `mine` (0 to MUSTER_MAX_BLOB bytes) and returns what the wanted ranks
  // shared, in that order. The bytes are valid until the next collective call or the end of the
  // step. `tag` names the call: 1 to MUSTER_MAX_TAG bytes, the same on every rank.
  std::vector<std::span<const std::byte>> exchange(const std::string& tag,
                                                   std::span<const std::byte> mine,
                                                   std::span<const int> wanted,
                                                   Timeout timeout = {}) {
    std::vector<muster_blob> blobs;
    blobs.reserve(wanted.size());
    for (const int rank : wanted) blobs.push_back({rank, nullptr, 0});
    check(muster_exchange(handle_, tag.c_str(), mine.data(), mine.size(), blobs.data(),
                          blobs.size(), milliseconds(timeout)));
    std::vector<std::span<const std::byte>> given;
    given.reserve(blobs.size());
    for (const auto& blob : blobs) {
      given.emplace_back(static_cast<const std::byte*>(blob.data), blob.size);
    }
    return given;
  }

  // Collective. Copies the bytes of `root` into those of every rank; the size, 0 to
  // MUSTER_MAX_BLOB, must be the same on every rank.
  void broadcast(std::span<std::byte> bytes, int root = 0, Timeout timeout = {}) {
    check(muster_broadcast(handle_, bytes.data(), bytes.size(), root, milliseconds(timeout)));
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void broadcast(T& value, int root = 0, Timeout timeout = {}) {
    broadcast(std::as_writable_bytes(std::span{&value, 1}), root, timeout);
  }

  // Collective. No rank returns before all have called.
  void barrier(Timeout timeout = {}) { check(muster_barrier(handle_, milliseconds(timeout))); }

  // Names what the process has done since the last call, for `muster report`.
  void mark(const std::string& what) { check(muster_mark(handle_, what.c_str())); }

  // Where a rank is: this one, or one that the last collective call read (PMIx: any, after the
  // first collective call).
  Endpoint endpoint(int rank, Timeout timeout = {}) {
    muster_endpoint raw{};
    check(muster_endpoint_of(handle_, rank, &raw, milliseconds(timeout)));
    return {raw.node, raw.address};
  }

  // Ends every process of the step, including this one, with `code` from 1 to 255. Throws only if an
  // argument is bad or the handle is busy.
  [[noreturn]] void abort(int code, const std::string& reason) {
    check(muster_abort(handle_, code, reason.c_str()));
    // Not reached, because check() throws for anything that muster_abort() refuses.
    std::terminate();
  }

  // For the functions of muster.h; remains owned by this object.
  muster_t* handle() const { return handle_; }

 private:
  muster_t* handle_ = nullptr;
};

// See muster_stop_on(). For example "USR1,TERM"; nullopt: MUSTER_STOP_SIGNALS, otherwise USR1 and TERM.
inline void stop_on(const std::optional<std::string>& signals = {}) {
  check(muster_stop_on(signals ? signals->c_str() : nullptr));
}

// Whether one of these signals has arrived. Async-signal-safe.
inline bool stop_requested() noexcept {
  return muster_stop_requested() != 0;
}

// How many times the run has been restarted: 0 in the first attempt.
inline int restart_count() noexcept {
  return muster_restart_count();
}

namespace nccl {

// The version of the NCCL that would be used: 22809.
inline int version() {
  int version = 0;
  check(muster_nccl_version(&version));
  return version;
}

using Id = std::array<std::byte, MUSTER_NCCL_ID_BYTES>;

// For other options, start with `muster_nccl_options options = MUSTER_NCCL_OPTIONS;`.
inline constexpr muster_nccl_options default_options = MUSTER_NCCL_OPTIONS;

// Collective. One id for each root, in the order that ncclCommInitRankScalable() expects.
inline std::vector<Id> ids(Step& step, const muster_nccl_options& options = default_options) {
  std::vector<Id> ids(static_cast<std::size_t>(step.size()));
  std::size_t count = 0;
  check(muster_nccl_ids(step.handle(), &options, ids.data(), ids.size(), &count));
  ids.resize(count);
  return ids;
}

// Owns an ncclComm_t that is ready and non-blocking. Move-only; must not outlive its step. The destructor
// destroys it properly, but aborts it during stack unwinding, because peers may be gone by then. It ignores
// errors in both cases.
class Communicator {
 public:
  // Collective, over all ranks of the step.
  explicit Communicator(Step& step, const muster_nccl_options& options = default_options)
      : step_(step.handle()) {
    check(muster_nccl_init(step_, &options, &comm_));
  }
  Communicator(Communicator&& other) noexcept
      : step_(other.step_), comm_(std::exchange(other.comm_, nullptr)) {}
  Communicator& operator=(Communicator&& other) noexcept {
    std::swap(step_, other.step_);
    std::swap(comm_, other.comm_);
    return *this;
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator() {
    if (std::uncaught_exceptions() > exceptions_) {
      muster_nccl_abort(step_, &comm_);
    } else {
      muster_nccl_destroy(step_, &comm_, MUSTER_DEFAULT);
    }
  }

  // Collective over this communicator. Returns one for the ranks with the same `colour`, ordered by `key`.
  // Empty (get() is null) for MUSTER_SPLIT_NONE.
  Communicator split(int colour, int key = 0,
                     const muster_nccl_options& options = default_options) const {
    Communicator child{step_};
    check(muster_nccl_split(step_, comm_, colour, key, &options, &child.comm_));
    return child;
  }

  // Call it after any NCCL call that may return ncclInProgress. This object is empty after it has thrown a
  // timeout or an NCCL error, because the communicator has been aborted.
  void wait(Timeout timeout = {}) {
    const int status = muster_nccl_wait(step_, comm_, milliseconds(timeout));
    if (status == MUSTER_ERR_TIMEOUT || status == MUSTER_ERR_NCCL) comm_ = nullptr;  // aborted
    check(status);
  }
  // Tears it down without its peers. Empty afterwards.
  void abort() { check(muster_nccl_abort(step_, &comm_)); }

  // Returns the type that nccl.h gives it: comm.get<ncclComm_t>(). Remains owned by this object.
  template <class Handle = void*>
  Handle get() const {
    return static_cast<Handle>(comm_);
  }

 private:
  explicit Communicator(muster_t* step) : step_(step) {}

  muster_t* step_;
  void* comm_ = nullptr;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace nccl
}  // namespace muster

#endif
