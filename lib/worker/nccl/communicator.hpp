// NCCL communicators under a deadline. All are non-blocking, because nothing inside NCCL's
// bootstrap has a time limit. Each step is polled; if it fails or takes too long, it is aborted on
// this rank.
#pragma once

#include "worker/deadline.hpp"
#include "worker/nccl/api.hpp"
#include "worker/nccl/config.hpp"

#include <span>
#include <string>
#include <utility>

namespace muster::worker::nccl {

// Owns a communicator until it is handed to the caller; otherwise aborts it.
class Communicator {
 public:
  Communicator(const NcclApi& nccl, NcclComm* comm) : nccl_(&nccl), comm_(comm) {}
  Communicator(Communicator&& other) noexcept
      : nccl_(other.nccl_), comm_(std::exchange(other.comm_, nullptr)) {}
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  Communicator& operator=(Communicator&&) = delete;
  ~Communicator() { abort(); }

  NcclComm* get() const { return comm_; }
  NcclComm* release() { return std::exchange(comm_, nullptr); }
  void abort();

 private:
  const NcclApi* nccl_;
  NcclComm* comm_;
};

struct Membership {
  int rank = 0;
  int size = 1;
  std::string who;  // "rank 5 on node2", for messages
};

// One id works with any NCCL; several need ncclCommInitRankScalable. All of these functions throw Error.
Communicator make_communicator(const NcclApi& nccl, const Membership& me,
                               std::span<NcclUniqueId> ids, NcclConfig config,
                               const Deadline& deadline);

// Splits off a part of `parent`; the result is empty for nccl_no_colour. A null `config` means the parent's
// configuration. After an error only abort() is safe on `parent`: NCCL may still be at work in it.
Communicator split_communicator(const NcclApi& nccl, NcclComm* parent, int colour, int key,
                                NcclConfig* config, const std::string& who,
                                const Deadline& deadline);

// Waits until nothing is in progress. Aborts nothing.
void wait_for(const NcclApi& nccl, NcclComm* comm, const std::string& what, const std::string& who,
              const Deadline& deadline);

// Ends the communicator properly; aborts it if that fails or takes too long.
void destroy_communicator(const NcclApi& nccl, NcclComm* comm, const std::string& who,
                          const Deadline& deadline);

}  // namespace muster::worker::nccl
