// A double of NCCL, not the real library: communicators of ranks that are threads of one process. An init is
// in progress until every rank of its id has joined. Tests can request faults.
#pragma once

#include "worker/nccl/api.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace muster::worker::nccl {

// Only one at a time; the table's functions use the latest.
class NcclDouble {
 public:
  explicit NcclDouble(int version = nccl_version(28, 9));
  NcclDouble(const NcclDouble&) = delete;
  NcclDouble& operator=(const NcclDouble&) = delete;
  ~NcclDouble();

  NcclApi api() const;

  // What happened.
  int alive() const;  // communicators neither destroyed nor aborted
  int aborted() const;
  int finalized() const;
  int ids_made() const;
  std::vector<int> roots_of_init() const;  // how many ids each init was given

  // What the test requests.
  NcclResult unique_id_result = nccl_success;
  NcclResult init_result = nccl_in_progress;  // the result of the call itself
  std::map<int, NcclResult> init_fails;       // rank -> the result it gets instead of ready
  bool init_never_ready = false;
  NcclResult split_result = nccl_in_progress;
  bool split_never_ready = false;
  NcclResult split_fails = nccl_success;  // the state that the parent gets
  bool finalize_never_ready = false;
  std::string last_error;
  std::function<void()> before_init;

 private:
  friend struct NcclDoubleCalls;
  struct Comm {
    int rank = 0;
    int size = 1;
    std::string id;
    NcclResult state = nccl_in_progress;
    NcclComm** child_place = nullptr;
    int polls = 0;
  };
  Comm& comm(NcclComm* handle);
  NcclComm* add(Comm comm);
  void end(NcclComm* handle);

  int version_;
  mutable std::mutex mutex_;
  std::map<NcclComm*, Comm> comms_;
  std::map<std::string, std::set<int>> come_;
  std::vector<int> init_roots_;
  std::uintptr_t next_ = 1;
  int ids_ = 0;
  int aborted_ = 0;
  int finalized_ = 0;
};

}  // namespace muster::worker::nccl
