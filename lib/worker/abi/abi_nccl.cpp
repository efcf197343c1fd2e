// The NCCL part of muster.h: checks the options, then runs the code of ids.hpp and communicator.hpp on a
// Step.
#include "worker/abi/abi_guard.hpp"
#include "worker/cuda/current_gpu.hpp"
#include "worker/nccl/communicator.hpp"
#include "worker/nccl/ids.hpp"

#include <climits>
#include <mutex>

namespace {

using namespace muster::worker;

// Opened once for all calls; after a failure it is tried again, because the program may have loaded a library
// in the meantime.
const muster::worker::nccl::NcclApi& loaded_nccl() {
  static std::mutex mutex;
  static std::optional<muster::worker::nccl::NcclApi> api;
  const std::lock_guard lock{mutex};
  if (!api) api = muster::worker::nccl::open_nccl(muster::worker::Environment::of_process());
  return *api;
}

muster::worker::nccl::Libraries libraries() {
  muster::worker::nccl::Libraries found;
  found.open_cuda = muster::worker::cuda::open_cuda;
  try {
    found.nccl = &loaded_nccl();
  } catch (const muster::worker::Error& error) {
    found.no_nccl = error;
  }
  return found;
}

muster_nccl_options adopted(const muster_nccl_options* given) {
  return muster::worker::abi::adopt<muster_nccl_options>(given, MUSTER_NCCL_OPTIONS,
                                                         "muster_nccl_options");
}

int bounded(int value, int least, int most, const char* name) {
  if (value >= least && value <= most) return value;
  throw muster::worker::Error{
      MUSTER_ERR_ARGUMENT, std::string{"muster_nccl_options."} + name + " is " +
                               std::to_string(value) + ": use " + std::to_string(least) + " to " +
                               std::to_string(most) + ", or MUSTER_DEFAULT"};
}

muster::worker::nccl::Roots roots_of(const muster_nccl_options& options, int size,
                                     const muster::worker::nccl::Libraries& libraries) {
  if (options.roots != MUSTER_DEFAULT) {
    return {size, bounded(options.roots, 1, size, "roots")};
  }
  const int per_root =
      options.ranks_per_root == MUSTER_DEFAULT
          ? muster::worker::nccl::standard_ranks_per_root
          : bounded(options.ranks_per_root, 1, muster::worker::max_size, "ranks_per_root");
  // Before 2.23, all ranks share one root.
  if (libraries.nccl != nullptr && libraries.nccl->init_rank_scalable == nullptr) return {size, 1};
  return muster::worker::nccl::Roots::for_each(size, per_root);
}

muster::worker::nccl::IdsRequest request_of(const muster_nccl_options& options, int size,
                                            const muster::worker::nccl::Libraries& libraries) {
  constexpr unsigned known = MUSTER_NCCL_SHARED_GPU | MUSTER_NCCL_IDS_ONLY;
  if ((options.flags & ~known) != 0) {
    throw muster::worker::Error{MUSTER_ERR_ARGUMENT,
                                "muster_nccl_options.flags has undefined bits"};
  }
  return {
      .roots = roots_of(options, size, libraries),
      .generation = options.generation,
      .device = options.device == MUSTER_DEFAULT ? -1 : bounded(options.device, 0, 1023, "device"),
      .cuda_version = bounded(options.cuda_version, 0, 1'000'000, "cuda_version"),
      .shared_gpu = (options.flags & MUSTER_NCCL_SHARED_GPU) != 0,
      .look_at_gpus = (options.flags & MUSTER_NCCL_IDS_ONLY) == 0};
}

std::string who(const muster::worker::Step& step) {
  return "rank " + std::to_string(step.rank_info().rank) + " on " + step.rank_info().node;
}

// From here on a failure may look different to other ranks.
template <class Work>
void together(muster::worker::Step& step, Work&& work) {
  step.check_usable();
  try {
    work();
  } catch (const std::exception& error) {
    step.fail(error.what());
    throw;
  }
}

void write_ids(muster::worker::Step& step, const muster_nccl_options* given, void* ids,
               std::size_t capacity, std::size_t* count) {
  if (ids == nullptr || count == nullptr) {
    throw muster::worker::Error{MUSTER_ERR_ARGUMENT, "ids or count is NULL"};
  }
  const auto options = adopted(given);
  const auto found = libraries();
  const auto request = request_of(options, step.rank_info().size, found);
  const auto needed = static_cast<std::size_t>(request.roots.count());
  if (capacity < needed) {
    throw muster::worker::Error{MUSTER_ERR_ARGUMENT,
                                "the array has room for " + std::to_string(capacity) +
                                    (capacity == 1 ? " NCCL id" : " NCCL ids") +
                                    ", but the step needs " + std::to_string(needed)};
  }
  const auto deadline = step.deadline(options.timeout_ms);
  together(step, [&] {
    const auto gathered =
        gather_ids(step, found, request, muster::worker::Environment::of_process(), deadline);
    std::memcpy(ids, gathered.ids.data(), needed * sizeof(muster::worker::nccl::NcclUniqueId));
    *count = needed;
  });
  step.times().write();
}

void init(muster::worker::Step& step, const muster_nccl_options* given, void** comm) {
  const auto options = adopted(given);
  const auto found = libraries();
  const auto& place = step.rank_info();
  const auto request = request_of(options, place.size, found);
  if (!request.look_at_gpus) {
    throw muster::worker::Error{MUSTER_ERR_ARGUMENT,
                                "MUSTER_NCCL_IDS_ONLY is only for muster_nccl_ids()"};
  }
  // Without NCCL, every argument is checked except whether a field is too new for NCCL.
  const auto config = muster::worker::nccl::make_config(
      options, found.nccl == nullptr ? INT_MAX : found.nccl->version);
  const auto deadline = step.deadline(options.timeout_ms);
  together(step, [&] {
    auto gathered =
        gather_ids(step, found, request, muster::worker::Environment::of_process(), deadline);
    muster::worker::cuda::CurrentGpu gpu{*gathered.cuda.api, gathered.gpu.device};
    auto made = step.times().phase(muster::worker::Times::Kind::all, "NCCL communicator", [&] {
      return make_communicator(*found.nccl, {place.rank, place.size, who(step)}, gathered.ids,
                               config, deadline);
    });
    gpu.keep();
    *comm = made.release();
  });
  step.times().write();
}

int colour_of(const muster::worker::RankInfo& place, int colour) {
  if (colour >= 0) return colour;
  if (colour == MUSTER_SPLIT_NONE) return muster::worker::nccl::nccl_no_colour;
  if (colour != MUSTER_SPLIT_NODE) {
    throw muster::worker::Error{MUSTER_ERR_ARGUMENT,
                                "colour is " + std::to_string(colour) +
                                    ": use 0 or more, MUSTER_SPLIT_NODE or MUSTER_SPLIT_NONE"};
  }
  if (place.node_rank != muster::worker::unknown) return place.node_rank;
  // The node's number as torchrun counts it; any number unique to the node would do.
  if (const auto group =
          muster::worker::Environment::of_process().number("GROUP_RANK", muster::worker::max_size))
    return *group;
  throw muster::worker::Error{
      MUSTER_ERR_ENVIRONMENT,
      "this process does not know which ranks share its node: split by a colour of your own"};
}

void split(muster::worker::Step& step, void* parent, int colour, int key,
           const muster_nccl_options* given, void** child) {
  if (parent == nullptr) throw muster::worker::Error{MUSTER_ERR_ARGUMENT, "parent is NULL"};
  const auto options = adopted(given);
  const int number = colour_of(step.rank_info(), colour);
  auto config = muster::worker::nccl::make_config(options, loaded_nccl().version);
  const auto deadline = step.deadline(options.timeout_ms);
  together(step, [&] {
    *child = step.times()
                 .phase(muster::worker::Times::Kind::all, "NCCL split",
                        [&] {
                          return split_communicator(
                              loaded_nccl(), static_cast<muster::worker::nccl::NcclComm*>(parent),
                              number, key,
                              muster::worker::nccl::asks_for_config(options) ? &config : nullptr,
                              who(step), deadline);
                        })
                 .release();
  });
}

}  // namespace

extern "C" {

int muster_nccl_version(int* version) {
  return muster::worker::abi::guarded([&] {
    if (version == nullptr) throw muster::worker::Error{MUSTER_ERR_ARGUMENT, "version is NULL"};
    *version = loaded_nccl().version;
  });
}

int muster_nccl_ids(muster_t* handle, const muster_nccl_options* options, void* ids,
                    size_t capacity, size_t* count) {
  return muster::worker::abi::with_step(
      handle, [&](muster::worker::Step& step) { write_ids(step, options, ids, capacity, count); });
}

int muster_nccl_init(muster_t* handle, const muster_nccl_options* options, void** comm) {
  return muster::worker::abi::with_step(handle, [&](muster::worker::Step& step) {
    if (comm == nullptr) throw muster::worker::Error{MUSTER_ERR_ARGUMENT, "comm is NULL"};
    *comm = nullptr;
    init(step, options, comm);
  });
}

int muster_nccl_split(muster_t* handle, void* parent, int colour, int key,
                      const muster_nccl_options* options, void** child) {
  return muster::worker::abi::with_step(handle, [&](muster::worker::Step& step) {
    if (child == nullptr) throw muster::worker::Error{MUSTER_ERR_ARGUMENT, "child is NULL"};
    *child = nullptr;
    split(step, parent, colour, key, options, child);
  });
}

int muster_nccl_wait(muster_t* handle, void* comm, int timeout_ms) {
  return muster::worker::abi::with_step(handle, [&](muster::worker::Step& step) {
    if (comm == nullptr) throw muster::worker::Error{MUSTER_ERR_ARGUMENT, "comm is NULL"};
    const auto deadline = step.deadline(timeout_ms);
    muster::worker::nccl::Communicator owned{loaded_nccl(),
                                             static_cast<muster::worker::nccl::NcclComm*>(comm)};
    wait_for(loaded_nccl(), owned.get(), "NCCL's work", who(step), deadline);
    owned.release();
  });
}

int muster_nccl_destroy(muster_t* handle, void** comm, int timeout_ms) {
  if (comm == nullptr || *comm == nullptr) return MUSTER_OK;
  return muster::worker::abi::with_step(handle, [&](muster::worker::Step& step) {
    const auto deadline = step.deadline(timeout_ms);
    destroy_communicator(
        loaded_nccl(), static_cast<muster::worker::nccl::NcclComm*>(std::exchange(*comm, nullptr)),
        who(step), deadline);
  });
}

int muster_nccl_abort(muster_t* handle, void** comm) {
  if (comm == nullptr || *comm == nullptr) return MUSTER_OK;
  return muster::worker::abi::with_step(handle, [&](muster::worker::Step&) {
    muster::worker::nccl::Communicator{
        loaded_nccl(), static_cast<muster::worker::nccl::NcclComm*>(std::exchange(*comm, nullptr))}
        .abort();
  });
}

}  // extern "C"
