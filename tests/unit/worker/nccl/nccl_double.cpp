#include "nccl_double.hpp"

#include <cstring>
#include <stdexcept>

namespace muster::worker::nccl {
namespace {
NcclDouble* now = nullptr;
}

// The functions of the table.
struct NcclDoubleCalls {
  static NcclResult get_version(int* version) {
    *version = now->version_;
    return nccl_success;
  }

  static NcclResult get_unique_id(NcclUniqueId* id) {
    const std::lock_guard lock{now->mutex_};
    if (now->unique_id_result != nccl_success) return now->unique_id_result;
    *id = {};
    const auto text = "id " + std::to_string(++now->ids_);
    std::memcpy(id->internal.data(), text.data(), text.size());
    return nccl_success;
  }

  static NcclResult init_rank_scalable(NcclComm** made, int size, int rank, int roots,
                                       NcclUniqueId* ids, void* /*config*/) {
    if (now->before_init) now->before_init();
    const std::lock_guard lock{now->mutex_};
    now->init_roots_.push_back(roots);
    if (now->init_result != nccl_in_progress) {
      *made = nullptr;
      return now->init_result;
    }
    std::string id;
    for (int root = 0; root < roots; ++root) id += std::string{ids[root].internal.data()} + ";";
    now->come_[id].insert(rank);
    NcclDouble::Comm comm;
    comm.rank = rank;
    comm.size = size;
    comm.id = id;
    *made = now->add(std::move(comm));
    return nccl_in_progress;
  }

  static NcclResult init_rank_config(NcclComm** made, int size, NcclUniqueId id, int rank,
                                     void* config) {
    return init_rank_scalable(made, size, rank, 1, &id, config);
  }

  static NcclResult split(NcclComm* parent, int colour, int /*key*/, NcclComm** child,
                          void* /*config*/) {
    const std::lock_guard lock{now->mutex_};
    auto& comm = now->comm(parent);
    *child = nullptr;
    if (now->split_result != nccl_in_progress) return now->split_result;
    comm.state = nccl_in_progress;
    comm.child_place = colour == nccl_no_colour ? nullptr : child;
    comm.polls = 0;
    return nccl_in_progress;
  }

  // A split is ready at the third poll: the child appears while the caller polls.
  static void advance(NcclDouble::Comm& comm) {
    if (comm.state != nccl_in_progress) return;
    if (comm.child_place != nullptr || comm.polls > 0) {
      if (now->split_never_ready || ++comm.polls < 3) return;
      comm.state = now->split_fails;
      if (comm.state == nccl_success && comm.child_place != nullptr) {
        NcclDouble::Comm child;
        child.rank = comm.rank;
        child.state = nccl_success;
        *comm.child_place = now->add(std::move(child));
      }
      comm.child_place = nullptr;
      comm.polls = 0;
      return;
    }
    if (const auto fails = now->init_fails.find(comm.rank); fails != now->init_fails.end()) {
      comm.state = fails->second;
    } else if (!now->init_never_ready &&
               now->come_[comm.id].size() == static_cast<std::size_t>(comm.size)) {
      comm.state = nccl_success;
    }
  }

  static NcclResult get_async_error(NcclComm* handle, NcclResult* state) {
    const std::lock_guard lock{now->mutex_};
    auto& comm = now->comm(handle);
    advance(comm);
    *state = comm.state;
    return nccl_success;
  }

  static NcclResult finalize(NcclComm* handle) {
    const std::lock_guard lock{now->mutex_};
    ++now->finalized_;
    if (now->finalize_never_ready) {
      auto& comm = now->comm(handle);
      comm.state = nccl_in_progress;
      comm.id = "never";
    }
    return nccl_in_progress;
  }

  static NcclResult destroy(NcclComm* handle) {
    const std::lock_guard lock{now->mutex_};
    now->end(handle);
    return nccl_success;
  }

  static NcclResult abort(NcclComm* handle) {
    const std::lock_guard lock{now->mutex_};
    now->end(handle);
    ++now->aborted_;
    return nccl_success;
  }

  static const char* get_error_string(NcclResult result) {
    return result == nccl_remote_error ? "remote process exited or there was a network error"
                                       : "the double's error";
  }
  static const char* get_last_error(NcclComm* /*comm*/) { return now->last_error.c_str(); }
};

NcclDouble::NcclDouble(int version) : version_(version) {
  now = this;
}
NcclDouble::~NcclDouble() {
  now = nullptr;
}

NcclApi NcclDouble::api() const {
  using Calls = NcclDoubleCalls;
  NcclApi api{.version = version_, .path = "the double"};
  api.get_version = Calls::get_version;
  api.get_unique_id = Calls::get_unique_id;
  api.init_rank_config = Calls::init_rank_config;
  if (version_ >= nccl_scalable) api.init_rank_scalable = Calls::init_rank_scalable;
  api.split = Calls::split;
  api.get_async_error = Calls::get_async_error;
  api.finalize = Calls::finalize;
  api.destroy = Calls::destroy;
  api.abort = Calls::abort;
  api.get_error_string = Calls::get_error_string;
  api.get_last_error = Calls::get_last_error;
  return api;
}

NcclDouble::Comm& NcclDouble::comm(NcclComm* handle) {
  const auto found = comms_.find(handle);
  if (found == comms_.end()) throw std::logic_error{"a communicator that is gone was used"};
  return found->second;
}

NcclComm* NcclDouble::add(Comm comm) {
  auto* const handle = reinterpret_cast<NcclComm*>(next_++ * 16);
  comms_.emplace(handle, std::move(comm));
  return handle;
}

void NcclDouble::end(NcclComm* handle) {
  comm(handle);
  comms_.erase(handle);
}

int NcclDouble::alive() const {
  const std::lock_guard lock{mutex_};
  return static_cast<int>(comms_.size());
}
int NcclDouble::aborted() const {
  const std::lock_guard lock{mutex_};
  return aborted_;
}
int NcclDouble::finalized() const {
  const std::lock_guard lock{mutex_};
  return finalized_;
}
int NcclDouble::ids_made() const {
  const std::lock_guard lock{mutex_};
  return ids_;
}
std::vector<int> NcclDouble::roots_of_init() const {
  const std::lock_guard lock{mutex_};
  return init_roots_;
}

}  // namespace muster::worker::nccl
