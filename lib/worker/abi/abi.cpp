// The C ABI of muster.h except for NCCL (abi_nccl.cpp): checks what a C caller can get wrong, and delegates
// the work to Step.
#include "worker/abi/abi_guard.hpp"
#include "worker/abi/join.hpp"
#include "worker/environment.hpp"
#include "worker/version.hpp"

#include <array>
#include <cstdio>
#include <string>

namespace {

using namespace muster::worker;

thread_local std::array<char, 4096> last_error{};

// PMIx and rank 0's port exist once per process.
std::atomic<bool> joined{false};

std::span<const std::byte> bytes_of(const void* data, std::size_t size) {
  if (size > MUSTER_MAX_BLOB) {
    throw Error{MUSTER_ERR_ARGUMENT,
                std::to_string(size) + " bytes are too many: a rank may contribute at most " +
                    std::to_string(MUSTER_MAX_BLOB) + "; use MPI, NCCL or a file for more"};
  }
  if (size > 0 && data == nullptr) {
    throw Error{MUSTER_ERR_ARGUMENT, "data is NULL, but size is " + std::to_string(size)};
  }
  return {static_cast<const std::byte*>(data), size};
}

// `what`: "a tag", for the error.
std::string checked_name(const char* name, const std::string& what) {
  if (name == nullptr)
    throw Error{MUSTER_ERR_ARGUMENT,
                what + " must have 1 to " + std::to_string(MUSTER_MAX_TAG) + " bytes, but is NULL"};
  const std::string text{name, ::strnlen(name, MUSTER_MAX_TAG + 1)};
  if (text.empty() || text.size() > MUSTER_MAX_TAG) {
    throw Error{MUSTER_ERR_ARGUMENT,
                what + " must have 1 to " + std::to_string(MUSTER_MAX_TAG) + " bytes"};
  }
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      throw Error{MUSTER_ERR_ARGUMENT, what + " must not contain control characters"};
    }
  }
  return text;
}

void exchange(Step& step, const char* tag, const void* data, std::size_t size, muster_blob* wanted,
              std::size_t count, int timeout_ms) {
  const auto name = checked_name(tag, "a tag");
  const auto mine = bytes_of(data, size);
  if ((wanted == nullptr && count > 0) || count > max_size) {
    throw Error{MUSTER_ERR_ARGUMENT, "wanted is NULL or count is too large"};
  }
  std::vector<int> ranks(count);
  for (std::size_t i = 0; i < count; ++i) ranks[i] = wanted[i].rank;
  const auto& records = step.run({.tag = "exchange:" + name, .what = "exchange '" + name + "'"},
                                 mine, ranks, step.deadline(timeout_ms));
  for (std::size_t i = 0; i < count; ++i) {
    const auto& payload = records[i].payload;
    wanted[i].data = payload.empty() ? nullptr : payload.data();
    wanted[i].size = payload.size();
  }
}

void broadcast(Step& step, void* buffer, std::size_t size, int root, int timeout_ms) {
  const auto bytes = bytes_of(buffer, size);
  step.check_rank(root);
  const bool gives = step.rank_info().rank == root;
  const auto& records = step.run({.tag = "broadcast:" + std::to_string(root),
                                  .what = "broadcast from rank " + std::to_string(root),
                                  .expected = static_cast<std::uint32_t>(size)},
                                 gives ? bytes : std::span<const std::byte>{}, std::array{root},
                                 step.deadline(timeout_ms));
  const auto& payload = records.front().payload;
  if (payload.size() != size) {
    step.fail("a broadcast of the wrong size");
    throw Error{MUSTER_ERR_MISMATCH, "rank " + std::to_string(root) + " broadcast " +
                                         std::to_string(payload.size()) + " bytes, not " +
                                         std::to_string(size)};
  }
  if (!gives && size > 0) std::memcpy(buffer, payload.data(), size);
}

// Turns whatever the caller gave into one line of text.
std::string one_line(const char* reason) {
  std::string line{reason, ::strnlen(reason, 1000)};
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return line;
}

[[noreturn]] void end_step(Step& step, int code, const char* reason) {
  const auto& info = step.rank_info();
  const auto line = "rank " + std::to_string(info.rank) + " on " + info.node + " ends the step" +
                    (reason == nullptr ? "" : ": " + one_line(reason));
  std::fprintf(stderr, "muster: error: %s\n", line.c_str());
  const Deadline deadline{std::chrono::seconds{10}};
  try {
    step.transport().abort(code, line, deadline);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "muster: error: %s\n", error.what());
  }
  // The resource manager kills this process as well, usually long before the deadline.
  if (step.transport().kind() == MUSTER_TRANSPORT_PMIX) {
    while (!deadline.passed()) ::usleep(10'000);
  }
  ::_exit(code);
}

const RankInfo* rank_info_of(const muster_t* handle) {
  return handle == nullptr ? nullptr : &handle->step->rank_info();
}

}  // namespace

namespace muster::worker::abi {

int keep_error(muster_status status, const char* line) noexcept {
  std::snprintf(last_error.data(), last_error.size(), "%s", line);
  // Names of files and tags may contain anything; the error must remain one line.
  for (char* c = last_error.data(); *c != '\0'; ++c) {
    if (static_cast<unsigned char>(*c) < 0x20 || *c == 0x7f) *c = ' ';
  }
  return status;
}

}  // namespace muster::worker::abi

extern "C" {

int muster_version(void) {
  return muster::worker::library_version;
}

const char* muster_last_error(void) {
  return last_error.data();
}

const char* muster_status_name(int status) {
  static constexpr std::array names{"ok",        "argument", "state",  "busy",      "environment",
                                    "library",   "timeout",  "peer",   "mismatch",  "gpu",
                                    "transport", "nccl",     "memory", "not found", "internal"};
  if (status < 0 || static_cast<std::size_t>(status) >= names.size()) return "unknown";
  return names[static_cast<std::size_t>(status)];
}

int muster_init(muster_t** handle, const muster_options* options) {
  if (handle != nullptr) *handle = nullptr;
  return muster::worker::abi::guarded([&] {
    if (handle == nullptr) throw muster::worker::Error{MUSTER_ERR_ARGUMENT, "handle is NULL"};
    const auto adopted =
        muster::worker::abi::adopt<muster_options>(options, MUSTER_OPTIONS, "muster_options");
    if (joined.exchange(true)) {
      throw muster::worker::Error{
          MUSTER_ERR_STATE,
          "this process is already a rank of its step: call muster_finalize() first"};
    }
    try {
      auto made = std::make_unique<muster_t>();
      made->step = muster::worker::abi::join(muster::worker::Environment::of_process(), adopted);
      *handle = made.release();
    } catch (...) {
      joined = false;
      throw;
    }
  });
}

int muster_finalize(muster_t** handle, int timeout_ms) {
  if (handle == nullptr || *handle == nullptr) return MUSTER_OK;
  muster_t* const mine = *handle;
  if (mine->step->owner() != ::getpid()) {
    // PMIx and the sockets belong to the parent.
    *handle = nullptr;
    return muster::worker::abi::guarded(
        [&] { const muster::worker::abi::Entered refused{*mine->step}; });
  }
  bool busy = false;
  const int status = muster::worker::abi::guarded([&] {
    auto& step = *mine->step;
    busy = step.busy().exchange(true);
    if (busy) {
      throw muster::worker::Error{
          MUSTER_ERR_BUSY, "another thread is inside a call on this handle: wait until it returns"};
    }
    step.finalize(step.deadline(timeout_ms));
  });
  if (busy) return status;
  *handle = nullptr;
  const std::unique_ptr<muster_t> ended{mine};
  joined = false;
  return status;
}

int muster_abort(muster_t* handle, int code, const char* reason) {
  return muster::worker::abi::guarded([&] {
    if (handle == nullptr) throw muster::worker::Error{MUSTER_ERR_ARGUMENT, "the handle is NULL"};
    if (code < 1 || code > 255) {
      throw muster::worker::Error{MUSTER_ERR_ARGUMENT,
                                  "code is " + std::to_string(code) + ": use 1 to 255"};
    }
    const muster::worker::abi::Entered entered{*handle->step};
    end_step(*handle->step, code, reason);
  });
}

int muster_rank(const muster_t* handle) {
  return handle == nullptr ? muster::worker::unknown : rank_info_of(handle)->rank;
}
int muster_size(const muster_t* handle) {
  return handle == nullptr ? muster::worker::unknown : rank_info_of(handle)->size;
}
int muster_procid(const muster_t* handle) {
  return handle == nullptr ? muster::worker::unknown : rank_info_of(handle)->procid;
}
int muster_contiguous_rank(const muster_t* handle) {
  return handle == nullptr ? muster::worker::unknown : rank_info_of(handle)->contiguous_rank;
}
int muster_local_rank(const muster_t* handle) {
  return handle == nullptr ? muster::worker::unknown : rank_info_of(handle)->local_rank;
}
int muster_local_size(const muster_t* handle) {
  return handle == nullptr ? muster::worker::unknown : rank_info_of(handle)->local_size;
}
int muster_node_rank(const muster_t* handle) {
  return handle == nullptr ? muster::worker::unknown : rank_info_of(handle)->node_rank;
}
int muster_node_count(const muster_t* handle) {
  return handle == nullptr ? muster::worker::unknown : rank_info_of(handle)->node_count;
}
const char* muster_node_name(const muster_t* handle) {
  return handle == nullptr ? nullptr : rank_info_of(handle)->node.c_str();
}
int muster_transport_used(const muster_t* handle) {
  return handle == nullptr ? muster::worker::unknown : handle->step->transport().kind();
}

int muster_exchange(muster_t* handle, const char* tag, const void* data, size_t size,
                    muster_blob* wanted, size_t count, int timeout_ms) {
  return muster::worker::abi::with_step(handle, [&](muster::worker::Step& step) {
    exchange(step, tag, data, size, wanted, count, timeout_ms);
  });
}

int muster_broadcast(muster_t* handle, void* buffer, size_t size, int root, int timeout_ms) {
  return muster::worker::abi::with_step(
      handle, [&](muster::worker::Step& step) { broadcast(step, buffer, size, root, timeout_ms); });
}

int muster_barrier(muster_t* handle, int timeout_ms) {
  return muster::worker::abi::with_step(handle, [&](muster::worker::Step& step) {
    step.run({.tag = "barrier", .what = "barrier"}, {}, {}, step.deadline(timeout_ms));
  });
}

int muster_mark(muster_t* handle, const char* what) {
  return muster::worker::abi::with_step(
      handle, [&](muster::worker::Step& step) { step.times().mark(checked_name(what, "a mark")); });
}

int muster_endpoint_of(muster_t* handle, int rank, muster_endpoint* endpoint, int timeout_ms) {
  return muster::worker::abi::with_step(handle, [&](muster::worker::Step& step) {
    if (endpoint == nullptr) throw muster::worker::Error{MUSTER_ERR_ARGUMENT, "endpoint is NULL"};
    *endpoint = step.endpoint(rank, step.deadline(timeout_ms));
  });
}

}  // extern "C"
